// The decisions of a reconcile, rule by rule: results, actions, claims, the ledger, and when time alone changes it.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import {
  active,
  alert,
  alertName,
  allowed,
  at,
  firing,
  inactive,
  input,
  intervalMs,
  ledgerEntry,
  minuteMs,
  nowMs,
  planInput,
  refused,
  pendingWrite,
} from '../../../support/builders/objects.ts';

const off = alert({ isActive: false });
const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ ...change, spec: { alerts: [inactive({ maxIncidents: 9 })], ...change?.spec } });
const key = alertName.toLowerCase();
const sent = (change: Parameters<typeof pendingWrite>[0] = {}) => new Map([[key, pendingWrite(change)]]);
const failure = (kind: 'Refused' | 'Unreachable', retryAtMs: number) => ({ kind, serviceCode: 'Nope', retryAtMs });

const activeSince = {
  observedGeneration: 1,
  alerts: [{ name: alertName, want: 'Active', live: 'Active' }] as unknown as AlertStatus[],
};

/** `RESULT/REASON > ACTIONS` of the first own policy's first alert. */
function decided(change: Partial<PlanInput>): string {
  const { policies, actions } = plan(planInput(change));
  const { result = '-', reason } = policies[0]?.alerts[0] ?? {};
  const sends = actions.map(({ isActive, cause }) => `${isActive ? '+' : '-'}${cause}`).join(',');
  return `${result}${reason === undefined ? '' : `/${reason}`} > ${sends}`;
}

const rows: readonly [string, Partial<PlanInput>, string][] = [
  ['as declared', {}, 'InSync > '],
  ['inactive although declared active', { alerts: [off] }, 'Drifted > +Declared'],
  ['active although dismissed', { policies: [dismissing()] }, 'Drifted > -DismissalHolds'],
  ['dismissed and inactive', { policies: [dismissing()], alerts: [off] }, 'InSync > '],
  ['not declared', { policies: [input({ spec: { alerts: [] } })] }, 'Unmanaged > '],
  ['declared active and not listed', { alerts: [] }, 'Missing > '],
  ['dismissed and not listed', { policies: [dismissing()], alerts: [] }, 'InSync > '],
  [
    'spelled in another case',
    { alerts: [alert({ name: alertName.toUpperCase(), isActive: false })] },
    'Drifted > +Declared',
  ],
  ['dismissed without a grant', { policies: [dismissing({ grant: refused })] }, 'Denied/DeactivationDenied > '],
  [
    'dismissed without a grant, and inactive by others',
    { policies: [dismissing({ grant: refused })], alerts: [off] },
    'Denied/DeactivationDenied > ',
  ],
  [
    'drift that is only observed',
    { policies: [input({ spec: { mode: 'Observe' } })], alerts: [off] },
    'Drifted/ObserveOnly > ',
  ],
  [
    'drift under a suspended policy',
    { policies: [input({ spec: { suspend: true } })], alerts: [off] },
    'Drifted/ObserveOnly > ',
  ],
  ['drift in a read-only operator', { isReadOnly: true, alerts: [off] }, 'Drifted/ObserveOnly > '],
  [
    'a dismissal that ran out',
    { policies: [input({ spec: { alerts: [inactive({ until: at(0) })] } })], alerts: [off], ledger: [ledgerEntry()] },
    'Drifted > +DismissalExpired',
  ],
  [
    'a dismissal that ran out, and inactive by others',
    { policies: [input({ spec: { alerts: [inactive({ until: at(0) })] } })], alerts: [off] },
    'Drifted > +Declared',
  ],
  [
    'a dismissal that ran out, activated since, and inactive again before its entry went',
    {
      policies: [input({ spec: { alerts: [inactive({ until: at(0) })] }, status: activeSince })],
      alerts: [off],
      ledger: [ledgerEntry()],
    },
    'Drifted > +Declared',
  ],
  [
    'a dismissal with a new incident',
    {
      policies: [input({ spec: { alerts: [inactive({ incidents: ['a'] })] } })],
      alerts: [firing(['b'], { isActive: false })],
      ledger: [ledgerEntry()],
    },
    'Drifted > +NewIncidents',
  ],
  [
    'a dismissal with a new incident, and inactive by others',
    {
      policies: [input({ spec: { alerts: [inactive({ incidents: ['a'] })] } })],
      alerts: [firing(['b'], { isActive: false })],
    },
    'Drifted > +Declared',
  ],
  ['sent a second ago', { alerts: [off], sent: sent() }, 'Pending/VerifyingWrite > '],
  [
    'sent just under two minutes ago',
    { alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs + 1 }) },
    'Pending/VerifyingWrite > ',
  ],
  [
    'sent two minutes ago',
    { alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs }) },
    'Failed/WriteNotVerified > ',
  ],
  [
    'sent two minutes and an interval ago',
    { alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs - intervalMs }) },
    'Drifted > +Declared',
  ],
  ['sent again and not seen', { alerts: [off], sent: sent({ tries: 2 }) }, 'Failed/WriteNotVerified > '],
  ['the opposite was sent', { alerts: [off], sent: sent({ isActive: false }) }, 'Drifted > +Declared'],
  [
    'refused a moment ago',
    { alerts: [off], sent: sent({ failure: failure('Refused', nowMs + 1) }) },
    'Failed/CorrectionFailed > ',
  ],
  [
    'refused, and time to try again',
    { alerts: [off], sent: sent({ failure: failure('Refused', nowMs) }) },
    'Drifted > +Declared',
  ],
  [
    'not answered a moment ago',
    { alerts: [off], sent: sent({ failure: failure('Unreachable', nowMs + 1) }) },
    'Failed/ServiceUnreachable > ',
  ],
  ['dismissed and the ledger is full', { policies: [dismissing()], ledgerRoom: 0 }, 'Denied/LedgerFull > '],
  [
    'dismissed, the ledger is full but holds it',
    { policies: [dismissing()], ledgerRoom: 0, ledger: [ledgerEntry()] },
    'Drifted > -DismissalHolds',
  ],
];

it.each(rows)('%s', (_, change, expected) => {
  expect(decided(change)).toBe(expected);
});

describe('several policies on one alert', () => {
  const older = '2025-01-01T00:00:00Z';
  const resultsOf = (policies: PlanInput['policies'], alerts = [alert()]) => {
    const decision = plan(planInput({ policies, alerts }));
    return [decision.policies.map((each) => each.alerts[0]?.result), decision.actions.map(({ isActive }) => isActive)];
  };

  it('Active beats Inactive, whichever policy is older', () => {
    const policies = [dismissing({ name: 'off', createdAt: older }), input({ name: 'on' })];
    expect(resultsOf(policies, [off])).toEqual([['Conflict', 'Drifted'], [true]]);
  });

  it('explicit beats unlisted', () => {
    const guard = input({
      name: 'guard',
      createdAt: older,
      spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } },
    });
    expect(resultsOf([guard, dismissing({ name: 'off' })])).toEqual([['Conflict', 'Drifted'], [false]]);
  });

  it('of two that want the same the oldest owns it, and both are content', () => {
    const [first, second] = [input({ name: 'b' }), input({ name: 'a', createdAt: older })];
    expect(resultsOf([first, second])).toEqual([['InSync', 'InSync'], []]);
    expect(plan(planInput({ policies: [first, second], alerts: [off] })).actions).toMatchObject([
      { policyKey: 'team/a' },
    ]);
  });

  it('of two as old the name decides', () => {
    const policies = [input({ name: 'b' }), input({ name: 'a' })];
    expect(plan(planInput({ policies, alerts: [off] })).actions).toMatchObject([{ policyKey: 'team/a' }]);
  });

  it.each([
    ['observes', { spec: { mode: 'Observe' as const } }],
    ['is suspended', { spec: { suspend: true } }],
    ['is being deleted', { metadata: { deletionTimestamp: at(-1) } }],
  ])('one that %s does not compete', (_, change) => {
    const policies = [input({ name: 'on', ...change }), dismissing({ name: 'off' })];
    expect(resultsOf(policies)[1]).toEqual([false]);
  });
});

describe('the ledger', () => {
  const gone = { policies: [], ledger: [ledgerEntry()] };
  const actionsOf = (change: Partial<PlanInput>) =>
    plan(planInput(change)).actions.map(({ isActive, cause }) => `${isActive}/${cause}`);

  it('activates again what no policy declares any more', () => {
    expect(actionsOf({ ...gone, alerts: [off] })).toEqual(['true/DeclarationGone']);
  });

  it.each([
    ['the policy is being deleted', dismissing({ metadata: { deletionTimestamp: at(-1) } })],
    ['the grant is withdrawn', dismissing({ grant: refused })],
    [
      'the dismissal ran out and the policy only observes',
      input({ spec: { mode: 'Observe', alerts: [inactive({ until: at(0) })] } }),
    ],
    [
      'a new incident came while the policy is suspended',
      input({ spec: { suspend: true, alerts: [inactive({ incidents: ['x'] })] } }),
    ],
    ['the policy says nothing about it any more', input({ spec: { alerts: [] } })],
  ])('activates again when %s', (_, policyInput) => {
    const alerts = [firing(['a'], { isActive: false })];
    expect(actionsOf({ policies: [policyInput], ledger: [ledgerEntry()], alerts })).toEqual(['true/DeclarationGone']);
  });

  it.each([
    ['its policy holds', dismissing()],
    ['its policy holds and observes', dismissing({ spec: { mode: 'Observe' } })],
    ['its policy holds and is suspended', dismissing({ spec: { suspend: true } })],
  ])('keeps the silence while %s', (_, policyInput) => {
    expect(actionsOf({ policies: [policyInput], ledger: [ledgerEntry()], alerts: [off] })).toEqual([]);
  });

  it('sends nothing in a read-only operator, nor twice, nor for what is not listed', () => {
    expect(actionsOf({ ...gone, alerts: [off], isReadOnly: true })).toEqual([]);
    expect(actionsOf({ ...gone, alerts: [off], sent: sent() })).toEqual([]);
    expect(actionsOf({ ...gone, alerts: [] })).toEqual([]);
    expect(actionsOf({ policies: [input()], ledger: [ledgerEntry()], alerts: [off] })).toEqual(['true/Declared']);
  });

  it('leaves alone what others deactivated', () => {
    expect(actionsOf({ policies: [], alerts: [off] })).toEqual([]);
  });

  it.each([
    ['the alert is active again', { ...gone }, 1],
    [
      'the entry is younger than a write may take to show',
      { policies: [], ledger: [ledgerEntry()], unproven: new Set([alertName.toLowerCase()]) },
      0,
    ],
    ['the deactivation is still on its way', { ...gone, sent: sent({ isActive: false }) }, 0],
    [
      'the deactivation was refused a moment after one that may still be applied',
      {
        policies: [dismissing()],
        ledger: [ledgerEntry()],
        unproven: new Set([alertName.toLowerCase()]),
        sent: sent({ isActive: false, failure: failure('Refused', nowMs + 1) }),
      },
      0,
    ],
    [
      'the deactivation was refused long after the one that the entry records',
      {
        policies: [dismissing()],
        ledger: [ledgerEntry()],
        sent: sent({ isActive: false, failure: failure('Refused', nowMs + 1) }),
      },
      1,
    ],
    ['a policy is about to deactivate it again', { policies: [dismissing()], ledger: [ledgerEntry()] }, 0],
    ['the alert is not listed', { ...gone, alerts: [] }, 0],
    ['the alert is still off', { ...gone, alerts: [off] }, 0],
  ] as const)('when %s, entries settled: see the row', (_, change, resolvedDismissals) => {
    expect(plan(planInput(change)).resolvedDismissals).toHaveLength(resolvedDismissals);
  });

  it('takes as many new entries as there is room for', () => {
    const names = ['A', 'B', 'C'];
    const alerts = names.map((name) => alert({ name }));
    const declared = names.map((name) => ({ ...inactive({ maxIncidents: 9 }), name }));
    const { actions, policies } = plan(
      planInput({ alerts, policies: [input({ spec: { alerts: declared } })], ledgerRoom: 2 }),
    );
    expect(actions.map((action) => action.alert)).toEqual(['A', 'B']);
    expect(policies[0]?.alerts.map(({ reason }) => reason)).toEqual([undefined, undefined, 'LedgerFull']);
  });
});

describe('the next change', () => {
  const next = (change: Partial<PlanInput>) => {
    const { nextChangeMs } = plan(planInput(change));
    return nextChangeMs === undefined ? undefined : nextChangeMs - nowMs;
  };
  const declaring = (until: string, maxIncidents?: number) =>
    input({ spec: { alerts: [inactive({ until, ...(maxIncidents !== undefined && { maxIncidents }) })] } });

  it.each([
    ['nothing but the interval', {}, undefined],
    ['the end of a dismissal', { policies: [declaring(at(5 * minuteMs))], alerts: [off] }, 5 * minuteMs],
    [
      'the moment from which a dismissal is short enough',
      { policies: [declaring(at(allowed.maxDismissalMs + 60 * minuteMs))], alerts: [off] },
      60 * minuteMs,
    ],
    [
      'the same for one that also has a maximum',
      { policies: [declaring(at(allowed.maxDismissalMs + 60 * minuteMs), 9)], alerts: [off] },
      60 * minuteMs,
    ],
    ['an end behind us', { policies: [declaring(at(-1), 9)], alerts: [alert()] }, undefined],
    ['a write sent now', { alerts: [off], sent: sent({ sentAtMs: nowMs }) }, 1000],
    ['a write sent a second ago', { alerts: [off], sent: sent() }, 2000],
    ['a write sent three seconds ago', { alerts: [off], sent: sent({ sentAtMs: nowMs - 3000 }) }, 4000],
    ['a write near the end of its window', { alerts: [off], sent: sent({ sentAtMs: nowMs - 119_000 }) }, 1000],
    ['a write that is not verified', { alerts: [off], sent: sent({ sentAtMs: nowMs - 2 * minuteMs }) }, intervalMs],
    ['a refused write', { alerts: [off], sent: sent({ failure: failure('Refused', nowMs + 7000) }) }, 7000],
  ] as const)('%s', (_, change, expected) => {
    expect(next(change)).toBe(expected);
  });
});

it('the same input gives the same plan, and is left as it is', () => {
  const both = planInput({
    policies: [input(), dismissing({ name: 'off' })],
    alerts: [firing(['a'])],
    ledger: [ledgerEntry()],
  });
  const copy = structuredClone({ ...both });
  expect(JSON.stringify(plan(both))).toBe(JSON.stringify(plan(both)));
  expect(both).toEqual(copy);
  expect(active).toEqual({ name: alertName, state: 'Active' });
});
