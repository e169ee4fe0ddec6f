// Every metric and every label that README.md and deploy/ name exists: in queries, rules and prose.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { describeMetrics, describeOperatorMetrics } from '../../.config/metrics.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createServiceMetrics } from '../../src/service/run/service-metrics.ts';
import { findingAt, readText, root, type TextFile } from '../support/checks/findings.ts';

const entries = readdirSync(new URL('deploy', root), { recursive: true, withFileTypes: true });
const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
const pages = ['README.md', ...files.map((file) => relative(root.pathname, file))];

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

/** Prometheus adds them to every series of a target. */
const targetLabels = ['job', 'instance'];

interface Query {
  readonly expr: string;
}

interface Use {
  readonly name: string;
  /** Those of its selector. */
  readonly labels: readonly string[];
  readonly index: number;
}

function usesIn(text: string): Use[] {
  return [...text.matchAll(use)].map(({ 1: name = '', 2: selector = '', index }) => ({
    name,
    labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    index,
  }));
}

/** Labels of `by (…)` and `on (…)` in a line, which must be labels of a metric of that line. */
function groupingsIn(line: string): string[] {
  return [...line.matchAll(/\b(?:by|on|without) \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
}

/** Names and labels that no metric has. A name that ends with `_` is a pattern, such as `process_*`. */
function unknownIn(page: TextFile): string[] {
  const uses = usesIn(page.text).filter(({ name }) => !name.endsWith('_'));
  const selectors = uses.flatMap(({ name, labels, index }) => {
    const known = labelsOf.get(name);
    const unknown =
      known === undefined ? [name] : labels.filter((label) => ![...known, ...targetLabels].includes(label));
    return unknown.map((each) => findingAt(page, index, each));
  });
  const groupings = [...page.text.matchAll(/^.*$/gm)].flatMap(({ 0: line, index }) =>
    unknownGroupings(line).map((label) => findingAt(page, index, label)),
  );
  return [...selectors, ...groupings];
}

function unknownGroupings(line: string): string[] {
  const known = usesIn(line).flatMap(({ name }) => labelsOf.get(name) ?? []);
  return known.length === 0 ? [] : groupingsIn(line).filter((label) => !known.includes(label));
}

test('every metric and label that a page names exists', () => {
  expect(pages.map(readText).flatMap(unknownIn)).toEqual([]);
});

test('names and labels that no metric has are found', () => {
  const text = `Queries:
rolealerts_gone{a="b"} and max by (namespace, policy) (rolealerts_policy_condition{typ="Ready"}) of process_*`;
  expect(unknownIn({ file: 'a.md', text })).toEqual(['a.md:2: rolealerts_gone', 'a.md:2: typ', 'a.md:2: policy']);
});

/** The words of a query that are no function, operator, label or text, whatever their prefix. */
function metricsIn(query: string): string[] {
  const rest = query.replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|without) \([^)]*\)/g, '');
  return [...rest.matchAll(/\b[a-z]\w*\b(?!\s*\()/g)].flatMap(([word]) =>
    ['and', 'or', 'unless'].includes(word) ? [] : word,
  );
}

test('every query of the alerting rules and the dashboard is about metrics that exist', () => {
  const rules = parse(readText('deploy/monitoring/rules.yaml').text) as { spec: { groups: [{ rules: Query[] }] } };
  const { panels } = JSON.parse(readText('deploy/monitoring/dashboard.json').text) as {
    panels: { targets: Query[] }[];
  };
  const queries = [...rules.spec.groups[0].rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
  expect(queries.length).toBeGreaterThan(30);
  expect(queries.filter((query) => metricsIn(query).length === 0)).toEqual([]);
  expect(queries.flatMap(metricsIn).filter((name) => !labelsOf.has(name))).toEqual([]);
});
