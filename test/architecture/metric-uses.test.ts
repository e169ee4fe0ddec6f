// Every metric and every label that README.md and deploy/ name exists: in queries, rules and prose.
import { readdir, readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { describeMetrics, describeOperatorMetrics } from '../../.config/metrics.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createServiceMetrics } from '../../src/serve/service-metrics.ts';

const root = new URL('../..', import.meta.url);
const entries = await readdir(new URL('deploy', root), { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
const pages = [new URL('README.md', root).pathname, ...files];

const metrics = [...describeOperatorMetrics(), ...describeMetrics(createServiceMetrics(systemClock).registry)];
const labelsOf = new Map(
  metrics.flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? ['', '_count', '_sum', '_bucket'].map((suffix) => [`${name}${suffix}`, [...labels, 'le']] as const)
      : [[name, labels] as const],
  ),
);

const prefixes = [...new Set(metrics.map(({ name }) => name.split('_')[0]))].join('|');
const use = new RegExp(String.raw`\b((?:${prefixes})_[a-z0-9_]+)(?:\{([^}]*)\})?`, 'g');

/** Each use of a metric as `NAME` and the labels of its selector. */
function usesIn(text: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...text.matchAll(use)].map(([, name = '', selector = '']) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

/** Labels of `by (…)` and `on (…)` in a line, which must be labels of a metric of that line. */
function groupingsIn(line: string): string[] {
  return [...line.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
}

/** Names and labels that no metric has. A name that ends with `_` is a pattern, such as `process_*`. */
function unknownIn(text: string): string[] {
  const uses = usesIn(text).filter(({ name }) => !name.endsWith('_'));
  const selectors = uses.flatMap(({ name, labels }) => {
    const known = labelsOf.get(name);
    return known === undefined ? [name] : labels.filter((label) => !known.includes(label));
  });
  return [...selectors, ...text.split('\n').flatMap(unknownGroupings)];
}

function unknownGroupings(line: string): string[] {
  const known = usesIn(line).flatMap(({ name }) => labelsOf.get(name) ?? []);
  return known.length === 0 ? [] : groupingsIn(line).filter((label) => !known.includes(label));
}

test.each(pages)('%s names metrics and labels that exist', async (path) => {
  expect(unknownIn(await readFile(path, 'utf8'))).toEqual([]);
});

test('names and labels that no metric has are found', () => {
  const text = `rolealerts_gone{a="b"} and max by (namespace, policy) (rolealerts_policy_condition{typ="Ready"}) of process_*`;
  expect(unknownIn(text)).toEqual(['rolealerts_gone', 'typ', 'policy']);
});

test('the rules of the reference page use metrics', async () => {
  const page = await readFile(new URL('deploy/reference/metrics.md', root), 'utf8');
  const [, rules = ''] = page.split('## Alerting rules');
  expect(usesIn(rules).length).toBeGreaterThanOrEqual(7);
});
