// The names, types, labels and help of metrics as the source registers them, for the reference page and for the tests.
import type { Registry } from 'prom-client';

import { systemClock } from '../src/lib/clock.ts';
import { arrayOf, isString, objectOf } from '../src/lib/json-shape.ts';
import { createMetrics, type Metrics } from '../src/operator/manager/metrics.ts';

export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

/** All metrics of the operator, without series of objects. */
export function operatorMetrics(): Metrics {
  const source = {
    load: () => ({ depth: 0, active: 0 }),
    servedPolicies: () => [],
    servedConnections: () => [],
    unverifiedSinceMs: () => undefined,
  };
  const build = { version: '0.0.0', commit: 'unknown', node: process.version };
  return createMetrics(() => source, { clock: systemClock, build, ownsProcess: true });
}

/** In the order of a scrape. */
export function describeOperatorMetrics(): readonly MetricDescription[] {
  const { registry, families } = operatorMetrics();
  const ofObjects = families.map(({ name, help, labelNames }) => ({ name, type: 'gauge', labels: labelNames, help }));
  return [...describeMetrics(registry), ...ofObjects];
}

export function describeMetrics(registry: Registry): readonly MetricDescription[] {
  return registry.getMetricsAsArray().map((metric) => {
    const labels = arrayOf(objectOf(metric)['labelNames']).filter(isString);
    return { name: metric.name, type: String(metric.type), labels, help: metric.help };
  });
}
