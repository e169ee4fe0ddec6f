// What the demo reports of its operator besides events: the address of its metrics with a sample, the register of dismissals, and handled
// reconcile requests.
import { expect, it } from 'vitest';

import { formatLogLine } from '../../../../src/lib/log-text.ts';
import { findSample, metricsLines, metricsURLIn } from '../../../../src/local/demo/operator-process.ts';
import { followRequests } from '../../../../src/local/demo/run-demo.ts';
import { attackedSample } from '../../../../src/local/demo/samples.ts';
import { registerLines } from '../../../../src/local/demo/scenario.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { connection } from '../../../support/builders/objects.ts';
import { connectionAsExpected, policyAsExpected } from '../../../support/rigs/demo-actions.ts';

const started = (fields: object) =>
  formatLogLine(JSON.stringify({ time: '2026-11-21T10:00:00Z', level: 'info', msg: 'started', ...fields }));

it('the address of the metrics is the one in the log of the operator', () => {
  const log = `earlier\n${started({ server: 'https://127.0.0.1:1', metricsURL: 'http://127.0.0.1:41234' })}later\n`;
  expect(metricsURLIn(log)).toBe('http://127.0.0.1:41234/metrics');
  expect(metricsURLIn(started({ server: 'https://127.0.0.1:1' }))).toBeUndefined();
});

it('the sample of the metrics is about the incidents of the dismissal that ends', () => {
  const sample = 'rolealerts_incidents{namespace="demo",name="bound-broken",alert="A",severity="High"} 3';
  const text = `# HELP rolealerts_incidents Incidents.\nrolealerts_incidents{namespace="demo",name="missing"} 0\n${sample}\n`;
  expect(findSample(text)).toBe(sample);
  expect(findSample('')).toBeUndefined();
});

it('the register is a line for each dismissal, with its bound, its end and its reason', () => {
  const entry = { scope: 's', alert: 'A', since: '2026-11-21T10:00:00Z' };
  const until = '2026-12-24T00:00:00Z';
  const dismissals = [
    { ...entry, policy: 'demo/dismissed', until, maxIncidents: 3, reason: 'SEC-1207' },
    { ...entry, policy: 'demo/bound-broken', incidents: 2, reason: 'SEC-1182' },
    { ...entry, policy: 'demo/gone' },
  ];
  const { status } = connectionAsExpected(attackedSample, attackedSample.after);
  expect(registerLines({ ...connection(), status: { ...status!, dismissals } })).toEqual([
    'Connection "prod" has 3 entries in its register of dismissals (status.dismissals):',
    '  demo/dismissed: at most 3 incidents, until 2026-12-24T00:00:00Z; SEC-1207',
    '  demo/bound-broken: 2 named incidents; SEC-1182',
    '  demo/gone: no policy declares it',
  ]);
});

it('metrics that cannot be read are only located', async () => {
  expect(await metricsLines('http://127.0.0.1:1/metrics')).toEqual([
    'The operator serves its metrics at http://127.0.0.1:1/metrics.',
  ]);
});

it('a reconcile request is reported once, when a status shows it as handled', () => {
  const lines: string[] = [];
  let policy: RoleAlertPolicy = policyAsExpected(attackedSample, attackedSample.after);
  const find = (name: string) => (name === attackedSample.name ? policy : undefined);
  const report = followRequests({ policy: find }, (line) => lines.push(line));
  report();
  expect(lines).toEqual([]);
  policy = { ...policy, status: { ...policy.status!, lastHandledReconcileAt: '17' } };
  report();
  report();
  expect(lines).toEqual(['Status of "corrected": the operator handled the reconcile request 17.']);
});
