// The alerting rules beside other operators: what controller-runtime names the same way is selected by our names. `npm run check:metrics` runs
// the rules in promtool.
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';
import { controllerName } from '../../../src/operator/manager/metrics.ts';
import { readText } from '../../support/checks/findings.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

const { spec } = parse(readText('deploy/monitoring/rules.yaml').text) as {
  spec: { groups: [{ rules: readonly Rule[] }] };
};
const { rules } = spec.groups[0];

const dashboard = JSON.parse(readText('deploy/monitoring/dashboard.json').text) as {
  panels: readonly { title: string; targets: readonly { expr: string }[]; gridPos: { x: number; w: number } }[];
};
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

test('every series that other operators have as well is selected by a label that only ours have', () => {
  const shared = /\b(?:controller_runtime|leader_election|workqueue|rest_client|process|nodejs)_\w+(?:\{([^}]*)\})?/g;
  const lease = controllerOptions.leaderElectionId.fallback;
  // Of the targets of the ServiceMonitor, and of the Leases of shards.
  const targets = ['job=~"rolealerts.*"', 'name=~"rolealerts.*"'];
  const own = new Set([`controller="${controllerName}"`, `name="${controllerName}"`, `name="${lease}"`, ...targets]);
  const selectors = [...rules.map(({ expr }) => expr), ...queries].flatMap((expr) =>
    [...expr.matchAll(shared)].map(([, selector = '']) => selector.split(',')),
  );
  expect(selectors).toHaveLength(7);
  expect(selectors.filter((labels) => !labels.some((label) => own.has(label)))).toEqual([]);
});

test('the runbook has a section for every rule, with its severity', () => {
  const sections = [...readText('deploy/runbook.md').text.matchAll(/^## (\w+) \((\w+)\)$/gm)];
  const listed = sections.map(([, alert, severity]) => ({ alert, severity }));
  expect(listed).toEqual(rules.map(({ alert, labels }) => ({ alert, severity: labels.severity })));
});

test('the runbook_url of every rule is its section of the runbook', () => {
  const page = 'deploy/runbook.md';
  // The anchor that GitHub and GitLab give to a heading.
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-');
  const sections = [...readText(page).text.matchAll(/^## (.+ \(\w+\))$/gm)].map(([, heading = '']) => ({
    alert: heading.split(' ')[0],
    url: `${page}#${anchorOf(heading)}`,
  }));
  expect(rules.map(({ alert, annotations }) => ({ alert, url: annotations.runbook_url }))).toEqual(sections);
});

test('the panels of the dashboard fit the grid of Grafana', () => {
  expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  expect(new Set(dashboard.panels.map(({ title }) => title)).size).toBe(dashboard.panels.length);
});
