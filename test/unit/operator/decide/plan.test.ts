// The decisions of a reconcile, rule by rule: results, actions, claims, the ledger, and when time alone changes it.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import {
  alert,
  alertName,
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

const ledger = [ledgerEntry()];
/** What a plan gets for one policy, and for these alerts instead of an active one. */
const by = (own: PlanInput['policies'][number], ...alerts: PlanInput['alerts']): Partial<PlanInput> => ({
  policies: [own],
  ...(alerts.length > 0 && { alerts }),
});
/** The alert is inactive, and this write was sent. */
const after = (change: Parameters<typeof pendingWrite>[0] = {}) => ({ alerts: [off], sent: sent(change) });
const over = input({ spec: { alerts: [inactive({ until: at(0) })] } });
const overSince = input({ spec: { alerts: [inactive({ until: at(0) })] }, status: activeSince });
const covering = input({ spec: { alerts: [inactive({ incidents: ['a'] })] } });
const grown = firing(['b'], { isActive: false });

const rows: readonly [string, Partial<PlanInput>, string][] = [
  ['as declared', {}, 'InSync > '],
  ['inactive although declared active', { alerts: [off] }, 'Drifted > +Declared'],
  ['active although dismissed', by(dismissing()), 'Drifted > -DismissalHolds'],
  ['dismissed and inactive', by(dismissing(), off), 'InSync > '],
  ['not declared', by(input({ spec: { alerts: [] } })), 'Unmanaged > '],
  ['declared active and not listed', { alerts: [] }, 'Missing > '],
  ['dismissed and not listed', { policies: [dismissing()], alerts: [] }, 'InSync > '],
  [
    'spelled in another case',
    { alerts: [alert({ name: alertName.toUpperCase(), isActive: false })] },
    'Drifted > +Declared',
  ],
  ['dismissed without a grant', by(dismissing({ grant: refused })), 'Denied/DeactivationDenied > '],
  [
    'dismissed without a grant, and inactive by others',
    by(dismissing({ grant: refused }), off),
    'Denied/DeactivationDenied > ',
  ],
  ['drift that is only observed', by(input({ spec: { mode: 'Observe' } }), off), 'Drifted/ObserveOnly > '],
  ['drift under a suspended policy', by(input({ spec: { suspend: true } }), off), 'Drifted/ObserveOnly > '],
  ['drift in a read-only operator', { isReadOnly: true, alerts: [off] }, 'Drifted/ObserveOnly > '],
  ['a dismissal that ran out', { ...by(over, off), ledger }, 'Drifted > +DismissalExpired'],
  ['a dismissal that ran out, and inactive by others', by(over, off), 'Drifted > +Declared'],
  [
    'a dismissal that ran out, activated since, and inactive again',
    { ...by(overSince, off), ledger },
    'Drifted > +Declared',
  ],
  ['a dismissal with a new incident', { ...by(covering, grown), ledger }, 'Drifted > +NewIncidents'],
  ['a dismissal with a new incident, and inactive by others', by(covering, grown), 'Drifted > +Declared'],
  ['sent a second ago', after(), 'Pending/VerifyingWrite > '],
  ['sent two minutes ago', after({ sentAtMs: nowMs - 2 * minuteMs }), 'Failed/WriteNotVerified > '],
  [
    'sent two minutes and an interval ago',
    after({ sentAtMs: nowMs - 2 * minuteMs - intervalMs }),
    'Drifted > +Declared',
  ],
  ['the opposite was sent', after({ isActive: false }), 'Drifted > +Declared'],
  ['refused a moment ago', after({ failure: failure('Refused', nowMs + 1) }), 'Failed/CorrectionFailed > '],
  ['refused, and time to try again', after({ failure: failure('Refused', nowMs) }), 'Drifted > +Declared'],
  ['not answered a moment ago', after({ failure: failure('Unreachable', nowMs + 1) }), 'Failed/ServiceUnreachable > '],
  ['dismissed and the ledger is full', { ...by(dismissing()), ledgerRoom: 0 }, 'Denied/LedgerFull > '],
  [
    'dismissed, the ledger is full but holds it',
    { ...by(dismissing()), ledgerRoom: 0, ledger },
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

  it('of two that want it active the one that declares it owns it', () => {
    const guard = input({ name: 'a', spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } });
    const { actions } = plan(planInput({ policies: [guard, input({ name: 'b' })], alerts: [off] }));
    expect(actions).toMatchObject([{ policyKey: 'team/b' }]);
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
  const gone = { policies: [], ledger };
  const actionsOf = (change: Partial<PlanInput>) =>
    plan(planInput(change)).actions.map(({ isActive, cause }) => `${isActive}/${cause}`);

  it('activates again what no policy declares any more', () => {
    expect(actionsOf({ ...gone, alerts: [off] })).toEqual(['true/DeclarationGone']);
  });

  it.each([
    ['the policy is being deleted', dismissing({ metadata: { deletionTimestamp: at(-1) } })],
    ['the grant is withdrawn', dismissing({ grant: refused })],
    [
      'the dismissal ran out and its policy observes',
      input({ spec: { mode: 'Observe', alerts: [inactive({ until: at(0) })] } }),
    ],
    [
      'an incident came while its policy is suspended',
      input({ spec: { suspend: true, alerts: [inactive({ incidents: ['x'] })] } }),
    ],
    ['the policy says nothing about it any more', input({ spec: { alerts: [] } })],
  ])('activates again when %s', (_, policyInput) => {
    const alerts = [firing(['a'], { isActive: false })];
    expect(actionsOf({ policies: [policyInput], ledger, alerts })).toEqual(['true/DeclarationGone']);
  });

  it.each([
    ['its policy holds', dismissing()],
    ['its policy holds and observes', dismissing({ spec: { mode: 'Observe' } })],
    ['its policy holds and is suspended', dismissing({ spec: { suspend: true } })],
  ])('keeps the silence while %s', (_, policyInput) => {
    expect(actionsOf({ ...by(policyInput, off), ledger })).toEqual([]);
  });

  it('leaves alone what others deactivated', () => {
    expect(actionsOf({ policies: [], alerts: [off] })).toEqual([]);
  });
});
