import type { IncomingMessage } from 'node:http';

import { describe, expect, test } from 'vitest';

import { createSourceOf } from '../../../../src/service/http/client-address.ts';
import {
  headOf,
  headOnConnection,
  isWorthRemembering,
  targetOnConnection,
  type KnownHead,
} from '../../../../src/service/http/request-head.ts';

const sourceOf = createSourceOf({ scheme: 'http' });

function incomingWith(rawHeaders: readonly string[], httpVersion = '1.1') {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers[(rawHeaders[index] ?? '').toLowerCase()] = rawHeaders[index + 1] ?? '';
  }
  const socket = { remoteAddress: '192.0.2.1' } as IncomingMessage['socket'];
  return { rawHeaders: [...rawHeaders], headers, httpVersion, socket };
}

const read = (rawHeaders: readonly string[], earlier?: KnownHead, httpVersion?: string) =>
  headOf(incomingWith(rawHeaders, httpVersion), earlier, sourceOf);

const lines = ['Host', 'a', 'Authorization', 'Bearer x'];

const headersOf = (count: number) => ['Host', 'a', ...Array.from({ length: count - 1 }, () => ['X', 'x']).flat()];

describe('a connection remembers a head', () => {
  test.each([
    ['with a Host and a token', lines],
    ['with 100 headers', headersOf(100)],
    ['of 4 KiB', ['Host', 'x'.repeat(4092)]],
  ])('%s', (_, rawHeaders) => {
    expect(isWorthRemembering(read(rawHeaders))).toBe(true);
  });

  test.each([
    ['with 101 headers', headersOf(101)],
    ['of more than 4 KiB', ['Host', 'x'.repeat(4093)]],
    ['with a body', [...lines, 'Content-Length', '0']],
    ['with a body in chunks', [...lines, 'Transfer-Encoding', 'chunked']],
    ['with an expectation', [...lines, 'Expect', '100-continue']],
    ['without a Host', ['Authorization', 'Bearer x']],
    ['with two Hosts', [...lines, 'host', 'b']],
  ])('but not one %s', (_, rawHeaders) => {
    expect(isWorthRemembering(read(rawHeaders))).toBe(false);
  });
});

describe('a connection', () => {
  test('forgets a head when another one follows that is not worth remembering', () => {
    const memory = { head: undefined, target: '' };
    const first = headOnConnection(incomingWith(lines), memory, sourceOf);
    expect(headOnConnection(incomingWith(lines), memory, sourceOf)).toBe(first);
    headOnConnection(incomingWith([...lines, 'Content-Length', '0']), memory, sourceOf);
    expect(memory.head).toBeUndefined();
    expect(headOnConnection(incomingWith(lines), memory, sourceOf)).toEqual(first);
  });

  test('does not keep a long target', () => {
    const memory = { head: undefined, target: '' };
    for (const target of ['/a', `/${'x'.repeat(512)}`]) targetOnConnection(target, memory);
    expect(memory.target).toBe('');
    targetOnConnection(`/${'x'.repeat(511)}`, memory);
    expect(memory.target).toHaveLength(512);
  });
});
