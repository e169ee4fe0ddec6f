// Metrics that are kept in plain maps until a scrape. prom-client checks, sorts and hashes the labels of every change, which takes
// about a microsecond; a reconcile makes some twenty changes, and a scrape reads only the last of them. Series of an object have the
// labels `namespace` and `name` and end with the object.
import { Counter, Gauge, type Registry } from 'prom-client';

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
}

/** The names of one or two labels. */
type LabelNames = readonly [string, string?];

export interface ScrapeCounter {
  /** The values of the labels, in the order of `labelNames`. */
  count(first: string, second?: string): void;
}

/** A counter with one or two labels. */
export function createScrapeCounter({
  labelNames,
  ...options
}: MetricOptions & { readonly labelNames: LabelNames }): ScrapeCounter {
  const [firstName, secondName] = labelNames;
  const series = countSeries(options, namesOf(labelNames), (first, second) => ({
    [firstName]: first,
    ...(secondName !== undefined && { [secondName]: second }),
  }));
  return { count: (first, second = '') => series.count(first, second, '') };
}

export interface ObjectCounter {
  /** The object as `namespace/name`, and the values of the labels, in the order of `labelNames`. */
  count(key: string, first: string, second?: string): void;
  /** Removes every series of the object. */
  forget(key: string): void;
}

/** A counter of objects, with one or two labels besides `namespace` and `name`. */
export function createObjectCounter({
  labelNames,
  ...options
}: MetricOptions & { readonly labelNames: LabelNames }): ObjectCounter {
  const [firstName, secondName] = labelNames;
  const series = countSeries(options, [...objectLabelNames, ...namesOf(labelNames)], (key, first, second) => ({
    ...objectLabels(key),
    [firstName]: first,
    ...(secondName !== undefined && { [secondName]: second }),
  }));
  return { ...series, count: (key, first, second = '') => series.count(key, first, second) };
}

function namesOf(labelNames: LabelNames): string[] {
  return labelNames.filter((name) => name !== undefined);
}

interface Series {
  readonly labels: Record<string, string>;
  count: number;
}

/** The series of a counter by up to three texts, of which `labelsOf` makes the labels. `forget` takes the first one. */
function countSeries(
  options: MetricOptions,
  labelNames: string[],
  labelsOf: (...texts: [string, string, string]) => Record<string, string>,
) {
  const byFirst = new Map<string, Map<string, Series>>();
  const counter = new Counter({
    ...options,
    labelNames,
    collect: () => {
      counter.reset();
      for (const all of byFirst.values()) for (const { labels, count } of all.values()) counter.inc(labels, count);
    },
  });
  return {
    count(first: string, second: string, third: string): void {
      const all = byFirst.get(first) ?? new Map<string, Series>();
      if (all.size === 0) byFirst.set(first, all);
      const key = third === '' ? second : `${second} ${third}`;
      const series = all.get(key);
      if (series === undefined) all.set(key, { labels: labelsOf(first, second, third), count: 1 });
      else series.count += 1;
    },
    forget: (first: string) => void byFirst.delete(first),
  };
}

export interface ObjectGauge {
  /** The object as `namespace/name`. */
  set(key: string, value: number): void;
  forget(key: string): void;
}

/** A gauge with one series an object. */
export function createObjectGauge(options: MetricOptions): ObjectGauge {
  /** Only what changed since the last scrape, because there may be ten thousand objects. */
  const changed = new Map<string, number>();
  const gauge = new Gauge({
    ...options,
    labelNames: [...objectLabelNames],
    collect: () => {
      for (const [key, value] of changed) gauge.set(objectLabels(key), value);
      changed.clear();
    },
  });
  return {
    set: (key, value) => void changed.set(key, value),
    forget(key) {
      changed.delete(key);
      gauge.remove(objectLabels(key));
    },
  };
}

/** The labels that every series of an object has. */
export const objectLabelNames = ['namespace', 'name'] as const;

/** `key`: `namespace/name`. */
function objectLabels(key: string): Record<(typeof objectLabelNames)[number], string> {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}
