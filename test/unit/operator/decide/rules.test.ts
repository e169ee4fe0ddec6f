// The result for an alert when several rules apply, and which details of a rejection it passes on.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { PendingWrite } from '../../../../src/operator/decide/writes.ts';
import {
  alert,
  alertName,
  at,
  damped,
  inactive,
  input,
  minuteMs,
  nowMs,
  planInput,
  pendingWrite,
} from '../../../support/builders/objects.ts';

const key = alertName.toLowerCase();
const off = alert({ isActive: false });
const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ ...change, spec: { alerts: [inactive({ maxIncidents: 9 })], ...change.spec } });
const sent = (change: Partial<PendingWrite>) => new Map([[key, pendingWrite(change)]]);
const refusal = (retryAtMs: number, serviceCode?: string) => ({ kind: 'Refused' as const, serviceCode, retryAtMs });
/** Of each own policy what it gets of its first alert. */
const decided = (change: Partial<PlanInput>) => plan(planInput(change)).policies.map(({ alerts }) => alerts[0]);
const said = (change: Partial<PlanInput>) =>
  decided(change).map((row) => [row?.result, row?.reason, row?.serviceCode].filter(Boolean).join('/'));

it.each<[string, Partial<PlanInput>, string[]]>([
  [
    'that does not compete is in no conflict: it reports the drift',
    { policies: [input({ name: 'on' }), dismissing({ name: 'off', spec: { mode: 'Observe' } })] },
    ['InSync', 'Drifted/ObserveOnly'],
  ],
  [
    'deactivates, however often others undid an activation',
    { policies: [dismissing()], activationBackoffs: new Map([[key, { count: 9, lastMs: nowMs }]]) },
    ['Drifted'],
  ],
  [
    'activates, though a deactivation was refused a moment ago',
    { alerts: [off], sent: sent({ isActive: false, failure: refusal(nowMs + 1) }) },
    ['Drifted'],
  ],
  [
    'passes on the code of a refused activation',
    { alerts: [off], sent: sent({ failure: refusal(nowMs + 1, 'Nope') }) },
    ['Failed/CorrectionFailed/Nope'],
  ],
  [
    'that deactivated too often passes on that the last one was refused',
    { policies: [dismissing()], ...damped, sent: sent({ isActive: false, failure: refusal(nowMs - 1, 'Nope') }) },
    ['Failed/CorrectionFailed/Nope'],
  ],
  [
    'that deactivated too often is held, though an activation was refused',
    { policies: [dismissing()], ...damped, sent: sent({ failure: refusal(nowMs - 1, 'Nope') }) },
    ['Held/Flapping'],
  ],
])('a policy %s', (_, change, expected) => {
  expect(said(change)).toEqual(expected);
});

describe('an alert', () => {
  const namesOf = (change: Partial<PlanInput>) =>
    plan(planInput(change)).policies.map(({ alerts }) => alerts.map(({ name }) => name));

  it('has its place by that name', () => {
    const alerts = ['b', 'A', 'C'].map((name) => alert({ name }));
    expect(namesOf({ alerts, policies: [input({ spec: { alerts: [] } })] })).toEqual([['A', 'C', 'b']]);
  });
});

describe('an action', () => {
  const actionOf = (change: Partial<PlanInput>) => plan(planInput(change)).actions[0];
  const byUser = alert({ isActive: false, lastActor: 'User' });
  const ledger = [{ scope: 'subscriptions/a', alert: alertName, policy: 'team/owners', since: at(-60 * minuteMs) }];
  const guard = { alerts: [], unlisted: { state: 'Active' as const, minSeverity: 'Low' as const } };

  it.each([
    ['says that this operator did', { alerts: [byUser], ledger }, { cause: 'Declared', actor: 'Self' }],
    [
      'for a guard says that the alert is not declared',
      { alerts: [byUser], policies: [input({ spec: guard })] },
      { cause: 'Unlisted', actor: 'User' },
    ],
  ])('%s', (_, change: Partial<PlanInput>, expected) => {
    expect(actionOf(change)).toMatchObject(expected);
  });
});
