// The metrics of a process: the default ones of prom-client, read at each scrape, and how busy the event loop is.
import { performance } from 'node:perf_hooks';

import { collectDefaultMetrics, Counter, type Registry } from 'prom-client';

/**
 * prom-client samples the delay of the event loop at this interval, by default a hundred times a second, which was most of what an idle
 * operator did.
 */
const neverMs = 2 ** 31 - 1;

/** Those samples, which include the interval, and gauges with the name of a counter. */
const leftOut = /^nodejs_(?:eventloop_lag|active_(?:handles|requests|resources_total))/;

/** Adds the metrics of this process. `droppedLogLines` counts since the start. */
export function addProcessMetrics(registry: Registry, droppedLogLines = () => 0): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: neverMs });
  for (const { name } of registry.getMetricsAsArray()) if (leftOut.test(name)) registry.removeSingleMetric(name);
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
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
