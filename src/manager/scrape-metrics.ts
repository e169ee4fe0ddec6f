// Metrics that are kept in plain maps until a scrape. prom-client checks, sorts and hashes the labels of every change, which takes
// about a microsecond; a reconcile makes some twenty changes, and a scrape reads only the last of them.
import { Counter, Gauge, type Registry } from 'prom-client';

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
}

export interface ScrapeCounter {
  /** The values of the labels, in the order of `labelNames`. */
  count(first: string, second?: string, third?: string): void;
  /** Removes every series with this value of the first label. */
  forget(first: string): void;
}

interface Series {
  readonly labels: Record<string, string>;
  count: number;
}

/** A counter with one to three labels. */
export function createScrapeCounter({
  labelNames,
  ...options
}: MetricOptions & { readonly labelNames: readonly [string, string?, string?] }): ScrapeCounter {
  const [firstName, secondName = '', thirdName = ''] = labelNames;
  const byFirst = new Map<string, Map<string, Series>>();
  const counter = new Counter({
    ...options,
    labelNames: labelNames.filter((name) => name !== undefined),
    collect: () => {
      counter.reset();
      for (const all of byFirst.values()) for (const { labels, count } of all.values()) counter.inc(labels, count);
    },
  });
  const labelsOf = (first: string, second: string, third: string) => ({
    [firstName]: first,
    ...(secondName !== '' && { [secondName]: second }),
    ...(thirdName !== '' && { [thirdName]: third }),
  });
  return {
    count(first, second = '', third = '') {
      const all = byFirst.get(first) ?? new Map<string, Series>();
      if (all.size === 0) byFirst.set(first, all);
      const key = third === '' ? second : `${second} ${third}`;
      const series = all.get(key);
      if (series === undefined) all.set(key, { labels: labelsOf(first, second, third), count: 1 });
      else series.count += 1;
    },
    forget: (first) => void byFirst.delete(first),
  };
}

export interface ScrapeGauge {
  set(owner: string, value: number): void;
  forget(owner: string): void;
}

/** A gauge with one label, the object that it belongs to. */
export function createScrapeGauge({
  labelName,
  ...options
}: MetricOptions & { readonly labelName: string }): ScrapeGauge {
  /** Only what changed since the last scrape, because there may be ten thousand owners. */
  const changed = new Map<string, number>();
  const gauge = new Gauge({
    ...options,
    labelNames: [labelName],
    collect: () => {
      for (const [owner, value] of changed) gauge.set({ [labelName]: owner }, value);
      changed.clear();
    },
  });
  return {
    set: (owner, value) => void changed.set(owner, value),
    forget(owner) {
      changed.delete(owner);
      gauge.remove({ [labelName]: owner });
    },
  };
}
