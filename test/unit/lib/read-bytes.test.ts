// Reading regular files, devices and pipes; and a body within a limit, and the memory that it may take.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';

import { describe, expect, onTestFinished, test } from 'vitest';

import { readBody, readFileBytes, readWholeFile } from '../../../src/lib/read-bytes.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-read-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a regular file is read whole, or until it exceeds the limit', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, 'x'.repeat(200_000));
  expect((await readWholeFile(file)).length).toBe(200_000);
  expect((await readFileBytes(file, 200_000)).length).toBe(200_000);
  expect((await readFileBytes(file, 100)).length).toBe(101);
});

test('the error of the system is that of any reading', async () => {
  const folder = await newFolder();
  await expect(readWholeFile(join(folder, 'none'))).rejects.toThrow(/^ENOENT: no such file or directory, open /);
  await expect(readWholeFile(folder)).rejects.toThrow('EISDIR: illegal operation on a directory, read');
});

describe.skipIf(!existsSync('/dev/zero'))('a device', () => {
  test('without an end is refused', async () => {
    await expect(readWholeFile('/dev/zero')).rejects.toThrow('it is no regular file, and has more than 64 MiB');
  });

  test('without content is empty', async () => {
    expect((await readWholeFile('/dev/null')).length).toBe(0);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  const newPipe = async () => {
    const path = join(await newFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  };

  /** Settles; until then time passes. */
  async function advancing<T>(clock: ManualClock, reading: Promise<T>): Promise<T> {
    const over = new AbortController();
    const settled = reading.finally(() => over.abort());
    settled.catch(() => undefined);
    while (!over.signal.aborted) await clock.advance(100);
    return settled;
  }

  test('is read to its end, and may get its writer later', async () => {
    const path = await newPipe();
    const reading = readWholeFile(path);
    const writer = await open(path, 'w');
    await writer.write('first ');
    await writer.write('second');
    await writer.close();
    expect((await reading).toString()).toBe('first second');
  });

  test('that no program writes is empty, and keeps no thread', async () => {
    const clock = new ManualClock();
    const readings = Array.from({ length: 5 }, async () => readWholeFile(await newPipe(), clock));
    const all = await advancing(clock, Promise.all(readings));
    expect(all.map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
  });

  test('whose writer writes nothing is given up', async () => {
    const path = await newPipe();
    const clock = new ManualClock();
    const writer = await open(path, 'r+');
    onTestFinished(() => writer.close());
    await expect(advancing(clock, readWholeFile(path, clock))).rejects.toThrow('its writer writes nothing');
  });
});

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
