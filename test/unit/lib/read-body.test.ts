// Reading a body within a limit, and the memory that it may take.
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';

import { expect, test } from 'vitest';

import { readBody } from '../../../src/lib/read-bytes.ts';

function receive(limitBytes: number) {
  const incoming = new PassThrough();
  const body = new Promise<Buffer>((resolve) => readBody(incoming as unknown as IncomingMessage, limitBytes, resolve));
  return { incoming, body };
}

test('a body is that of its chunks, of whatever sizes', async () => {
  const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(index % 97, index));
  const { incoming, body } = receive(100_000);
  for (const chunk of chunks) incoming.emit('data', chunk);
  incoming.end();
  incoming.resume();
  expect(Buffer.concat(chunks).equals(await body)).toBe(true);
});

test('no chunk stays in memory, because a sender of tiny ones could fill it', async () => {
  const { incoming, body } = receive(10);
  const chunk = Buffer.from('ab');
  incoming.emit('data', chunk);
  chunk.fill('x');
  incoming.emit('data', Buffer.from('c'));
  incoming.end();
  incoming.resume();
  expect((await body).toString()).toBe('abc');
});

test('a body above the limit is what has arrived until then', async () => {
  const { incoming, body } = receive(3);
  incoming.write('abc');
  incoming.write('de');
  incoming.write('fg');
  expect((await body).toString()).toBe('abcde');
});
