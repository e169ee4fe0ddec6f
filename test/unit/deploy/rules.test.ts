// The alerting rules beside other operators: what controller-runtime names the same way is selected by our names. `npm run check:metrics` runs
// the rules in promtool.
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { controllerOptions } from '../../../src/config/controller-options.ts';
import { controllerName } from '../../../src/manager/reconcile-metrics.ts';
import { readText } from '../../support/checks/findings.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

const { spec } = parse(readText('deploy/monitoring/rules.yaml').text) as {
  spec: { groups: [{ rules: readonly Rule[] }] };
};
const { rules } = spec.groups[0];

test('every series that other operators have as well is selected by a label that only ours have', () => {
  const shared = /\b(?:controller_runtime|leader_election|workqueue|rest_client|process|nodejs)_\w+(?:\{([^}]*)\})?/g;
  const own = new Set([`controller="${controllerName}"`, `name="${controllerOptions.leaderElectionId.fallback}"`]);
  const selectors = rules.flatMap(({ expr }) =>
    [...expr.matchAll(shared)].map(([, selector = '']) => selector.split(',')),
  );
  expect(selectors).toHaveLength(2);
  expect(selectors.filter((labels) => !labels.some((label) => own.has(label)))).toEqual([]);
});

test('the page lists every rule with its severity', () => {
  const [, section = ''] = readText('deploy/reference/metrics.md').text.split('## Alerting rules');
  const listed = [...section.matchAll(/^\| `(\w+)` \((\w+)\)/gm)].map(([, alert, severity]) => ({ alert, severity }));
  expect(listed).toEqual(rules.map(({ alert, labels }) => ({ alert, severity: labels.severity })));
});
