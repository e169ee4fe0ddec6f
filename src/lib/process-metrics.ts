// The metrics of a process, under the names of prom-client's default metrics, read at each scrape. The defaults themselves sample the
// delay of the event loop a hundred times a second, which was most of what an idle operator did.
import { readdirSync, readFileSync } from 'node:fs';
import { constants, performance, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { objectOf } from './json-shape.ts';

/** Adds the metrics of this process. Those of `/proc` exist on Linux only. `droppedLogLines` counts since the start. */
export function addProcessMetrics(registry: Registry, droppedLogLines = () => 0): void {
  const registers = [registry];
  addCounters(registers, droppedLogLines);
  addGauges(registers);
  addCollections(registers);
  const { version } = process;
  const info = { name: 'nodejs_version_info', help: 'The version of Node.', labelNames: ['version'], registers };
  new Gauge(info).set({ version }, 1);
}

function addCounters(registers: Registry[], droppedLogLines: () => number): void {
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const cpuSeconds = (part: 'user' | 'system') => process.cpuUsage()[part] / 1e6;
  counter('process_cpu_user_seconds_total', 'User CPU time, in seconds.', () => cpuSeconds('user'));
  counter('process_cpu_system_seconds_total', 'System CPU time, in seconds.', () => cpuSeconds('system'));
  counter(
    'process_cpu_seconds_total',
    'User and system CPU time, in seconds.',
    () => cpuSeconds('user') + cpuSeconds('system'),
  );
  counter(
    'nodejs_eventloop_active_seconds_total',
    'Time that the event loop did not wait for events, in seconds.',
    () => performance.eventLoopUtilization().active / 1000,
  );
  counter(
    'process_log_lines_dropped_total',
    'Log lines dropped because the reader of standard error did not take them.',
    droppedLogLines,
  );
}

function addGauges(registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        if (value !== undefined) this.set(value);
      },
    });
  gauge('process_start_time_seconds', 'Start of the process, in Unix seconds.', () => performance.timeOrigin / 1000);
  gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss());
  gauge('process_virtual_memory_bytes', 'Virtual memory.', readVirtualBytes);
  gauge('process_open_fds', 'Open file descriptors.', countOpenFiles);
  gauge('process_max_fds', 'The limit of open file descriptors.', readMostFiles);
  gauge('nodejs_active_resources', 'Sockets, timers and others that keep the process alive.', () => {
    return process.getActiveResourcesInfo().length;
  });
  gauge('nodejs_heap_size_total_bytes', 'Size of the heap.', () => process.memoryUsage().heapTotal);
  gauge('nodejs_heap_size_used_bytes', 'Used part of the heap.', () => process.memoryUsage().heapUsed);
  gauge('nodejs_external_memory_bytes', 'Memory outside the heap that the heap refers to.', () => {
    return process.memoryUsage().external;
  });
}

function readVirtualBytes(): number | undefined {
  const kibibytes = /^VmSize:\s+(\d+) kB$/m.exec(readProc('status'))?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

function readMostFiles(): number | undefined {
  const limit = /^Max open files\s+(\d+)/m.exec(readProc('limits'))?.[1];
  return limit === undefined ? undefined : Number(limit);
}

function countOpenFiles(): number | undefined {
  try {
    // Without the descriptor of the directory itself.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** Empty where there is no such file. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/self/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Garbage collections; none while nothing allocates. */
function addCollections(registers: Registry[]): void {
  const seconds = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Duration of garbage collections: major, minor, incremental, or weakcb (callbacks of weak references).',
    labelNames: ['kind'],
    buckets: [0.001, 0.01, 0.1, 1],
    registers,
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seconds.observe({ kind: kindOf(entry) }, entry.duration / 1000);
  });
  observer.observe({ entryTypes: ['gc'] });
}

function kindOf(entry: PerformanceEntry): string {
  const { kind } = objectOf('detail' in entry ? entry.detail : undefined);
  return kinds.get(kind) ?? 'other';
}

const kinds: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);
