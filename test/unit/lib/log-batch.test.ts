import { describe, expect, test } from 'vitest';

import { afterBatch, batchDelayMs, batchLines } from '../../../src/lib/log-sinks.ts';
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
