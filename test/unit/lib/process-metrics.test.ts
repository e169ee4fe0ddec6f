// The metrics of the process: what a scrape contains, and that nothing is sampled between two scrapes.
import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';

import { addProcessMetrics } from '../../../src/lib/process-metrics.ts';

async function scrape(registry: Registry): Promise<ReadonlyMap<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

it('a scrape contains the CPU time, the memory, the files and the event loop of this process', async () => {
  const registry = new Registry();
  addProcessMetrics(registry);
  const first = await scrape(registry);
  expect(first.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(first.get('process_resident_memory_bytes')).toBeGreaterThan(2 ** 24);
  expect(first.get('process_virtual_memory_bytes')).toBeGreaterThan(2 ** 24);
  expect(first.get('process_open_fds')).toBeGreaterThan(2);
  expect(first.get('process_max_fds')).toBeGreaterThan(2);
  expect(first.get('process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
  expect(first.get('process_start_time_seconds')).toBeGreaterThan(Date.now() / 1000 - 86_400);
  expect(first.get('nodejs_heap_size_used_bytes')).toBeLessThan(first.get('nodejs_heap_size_total_bytes') ?? 0);
  expect(first.get('nodejs_external_memory_bytes')).toBeGreaterThan(0);
  const names = [...first.keys()].map((series) => series.replace(/\{.*/, ''));
  expect(names).toEqual(expect.arrayContaining(['nodejs_active_resources', 'nodejs_version_info']));
  expect(names.filter((name) => /eventloop_lag|active_(?:resources|handles|requests)_/.test(name))).toEqual([]);
});

it('starts no timer', () => {
  vi.useFakeTimers();
  try {
    addProcessMetrics(new Registry());
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
