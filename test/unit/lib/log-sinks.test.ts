// Lines on their way to a sink: written together while a log is busy, and bounded where their reader does not take them.
import { describe, expect, it, test } from 'vitest';

import { afterBatch, batchDelayMs, batchLines, boundSink } from '../../../src/lib/log-sinks.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

function started() {
  const clock = new ManualClock();
  const writes: string[] = [];
  const sink = { write: (text: string) => void writes.push(text) };
  const batch = batchLines(sink, clock);
  return { clock, writes, batch, direct: afterBatch(batch, sink) };
}

describe('lines of a busy log', () => {
  test('are written together after the delay, in their order', async () => {
    const { clock, writes, batch } = started();
    for (const line of ['a\n', 'b\n', 'c\n']) batch.write(line);
    await clock.advance(batchDelayMs - 1);
    expect(writes).toEqual([]);
    await clock.advance(1);
    batch.write('d\n');
    await clock.advance(batchDelayMs);
    expect(writes).toEqual(['a\nb\nc\n', 'd\n']);
  });

  test('wait no longer than the first of them', async () => {
    const { clock, writes, batch } = started();
    batch.write('a\n');
    await clock.advance(batchDelayMs - 1);
    batch.write('b\n');
    await clock.advance(1);
    expect(writes).toEqual(['a\nb\n']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('do not wait once they are many', () => {
    const { clock, writes, batch } = started();
    const line = `${'x'.repeat(999)}\n`;
    for (let written = 0; written < 100; written++) batch.write(line);
    batch.flush();
    expect(writes.join('')).toBe(line.repeat(100));
    expect(writes.length).toBeGreaterThan(2);
    expect(clock.pendingTimers).toBe(0);
  });

  test('are all written by a flush, and no more than once', async () => {
    const { clock, writes, batch } = started();
    batch.flush();
    batch.write('a\n');
    batch.flush();
    batch.flush();
    await clock.advance(batchDelayMs);
    expect(writes).toEqual(['a\n']);
  });

  test('are written before a line of another log', () => {
    const { writes, batch, direct } = started();
    batch.write('request\n');
    direct.write('error\n');
    expect(writes).toEqual(['request\n', 'error\n']);
  });
});

const limitBytes = 100;
const line = `${'x'.repeat(9)}\n`;

/** A pipe whose reader takes lines only when the test says so. */
class Pipe {
  readonly written: string[] = [];
  readonly #callbacks: (() => void)[] = [];
  #bytes = 0;
  readonly sink = boundSink(
    { write: (text) => this.#take(text), backlog: this.#backlog() },
    (lines) => this.sink.write(`${lines} dropped\n`),
    limitBytes,
  );

  #take(text: string): void {
    this.written.push(text);
    this.#bytes += text.length;
  }

  #backlog() {
    const bytes = () => this.#bytes;
    return {
      get bytes() {
        return bytes();
      },
      onceTaken: (callback: () => void) => void this.#callbacks.push(callback),
    };
  }

  writeLines(count: number): void {
    for (let index = 0; index < count; index++) this.sink.write(line);
  }

  read(bytes = this.#bytes): void {
    this.#bytes -= bytes;
    if (this.#bytes === 0) for (const callback of this.#callbacks.splice(0)) callback();
  }
}

it('a slow reader gets the line about dropped ones in their place, once half of the bound is free', () => {
  const pipe = new Pipe();
  pipe.writeLines(11);
  pipe.read(10);
  pipe.writeLines(1);
  expect(pipe.written).toHaveLength(10);
  pipe.read(40);
  pipe.writeLines(1);
  expect(pipe.written.slice(10)).toEqual(['2 dropped\n', line]);
  pipe.read();
  expect(pipe.written).toHaveLength(12);
});

it('each line of a text counts', () => {
  const pipe = new Pipe();
  pipe.writeLines(10);
  pipe.sink.write('an error\n  and\n  its stack\n');
  pipe.sink.write('without an end');
  expect(pipe.sink.droppedLines).toBe(4);
});
