// The waits of a plan for other connections: for their first list, for their turn, and the policies' statuses during a wait.
import { describe, expect, it } from 'vitest';

import { conditionsOfDecisions } from '../../../src/plan/condition-set.ts';
import type { PlanInput, PolicyInput } from '../../../src/plan/plan-input.ts';
import { plan } from '../../../src/plan/plan.ts';
import { hearingMs, noWaits, ownerTurnMs } from '../../../src/plan/waits.ts';
import {
  active,
  alert,
  alertName,
  at,
  firing,
  inactive,
  input,
  ledgerEntry,
  minuteMs,
  nowMs,
  planInput,
} from '../../support/builders/objects.ts';

const older = '2025-01-01T00:00:00Z';
const dismissal = { alerts: [inactive({ until: at(60 * minuteMs), maxIncidents: 5 })] };
const ours = input({ spec: dismissal });
const theirs = (change: Parameters<typeof input>[0] = {}) =>
  input({ name: 'theirs', createdAt: older, isOwn: false, ...change });
const key = alertName.toLowerCase();
const off = alert({ isActive: false });

/** The first policy's result and reason, and the PATCHes. */
function decided(change: Partial<PlanInput>) {
  const { policies, actions } = plan(planInput(change));
  const [row] = policies[0]?.alerts ?? [];
  return `${[row?.result, row?.reason].filter(Boolean).join('/')} > ${actions.map(({ isActive }) => (isActive ? '+' : '-')).join('')}`;
}

describe('a claim that is not proven yet', () => {
  const unheard = theirs({ standing: 'Unheard' });
  const waiting = (sinceMs: number) => ({ ...noWaits, claimsSinceMs: sinceMs });

  it.each<[string, readonly PolicyInput[], string]>([
    ['holds a deactivation when it wants the alert active', [ours, unheard], 'Held/WaitingForClaims > '],
    [
      'holds one as a guard',
      [ours, theirs({ standing: 'Unheard', spec: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } })],
      'Held/WaitingForClaims > ',
    ],
    ['holds none when it wants the same', [ours, theirs({ standing: 'Unheard', spec: dismissal })], 'Drifted > -'],
    [
      'holds none when it says nothing of the alert',
      [ours, theirs({ standing: 'Unheard', spec: { alerts: [] } })],
      'Drifted > -',
    ],
    [
      'holds none when it only observes',
      [ours, theirs({ standing: 'Unheard', spec: { mode: 'Observe' } })],
      'Drifted > -',
    ],
    [
      'holds none when it is suspended',
      [ours, theirs({ standing: 'Unheard', spec: { suspend: true } })],
      'Drifted > -',
    ],
    [
      'holds none when it is being deleted',
      [ours, theirs({ standing: 'Unheard', metadata: { deletionTimestamp: at(-1) } })],
      'Drifted > -',
    ],
    ['holds none when it is refused', [ours, theirs({ standing: 'Refused' })], 'Drifted > -'],
    ['is a conflict once it is proven', [ours, theirs()], 'Conflict > '],
  ])('%s', (_, policies, expected) => {
    expect(decided({ policies })).toBe(expected);
  });

  it('never holds an activation', () => {
    const policies = [input(), theirs({ standing: 'Unheard', spec: dismissal })];
    expect(decided({ policies, alerts: [off] })).toBe('Drifted > +');
  });

  it('holds nothing that is as declared', () => {
    expect(decided({ policies: [ours, unheard], alerts: [off] })).toBe('InSync > ');
  });

  it.each([
    [nowMs, 'Held/WaitingForClaims > '],
    [nowMs - hearingMs + 1, 'Held/WaitingForClaims > '],
    [nowMs - hearingMs, 'Drifted > -'],
    // The clock stepped back.
    [nowMs + hearingMs, 'Held/WaitingForClaims > '],
  ])('holds it for a while (%#)', (sinceMs, expected) => {
    expect(decided({ policies: [ours, unheard], waits: waiting(sinceMs) })).toBe(expected);
  });

  it('is waited for from the first plan on, until no such claim is left', () => {
    const { waits, nextChangeMs } = plan(planInput({ policies: [ours, unheard] }));
    expect(waits.claimsSinceMs).toBe(nowMs);
    expect(nextChangeMs).toBe(nowMs + hearingMs);
    const later = planInput({ policies: [ours, unheard], waits, nowMs: nowMs + 2 * hearingMs });
    expect(plan(later).waits.claimsSinceMs).toBe(nowMs);
    expect(plan({ ...later, policies: [ours] }).waits.claimsSinceMs).toBe(undefined);
  });

  it('is waited for anew after the clock stepped back', () => {
    const given = planInput({ policies: [ours, unheard], waits: waiting(nowMs + hearingMs) });
    expect(plan(given)).toMatchObject({ waits: { claimsSinceMs: nowMs }, nextChangeMs: nowMs + hearingMs });
  });

  it('keeps an alert of the ledger inactive for as long, and no longer', () => {
    const given = {
      policies: [theirs({ standing: 'Unheard', spec: dismissal })],
      ledger: [ledgerEntry()],
      alerts: [off],
    };
    expect(plan(planInput(given))).toMatchObject({ actions: [], nextChangeMs: nowMs + hearingMs });
    const ended = plan(planInput({ ...given, waits: waiting(nowMs - hearingMs) }));
    expect(ended.actions).toMatchObject([{ isActive: true, cause: 'DeclarationGone' }]);
  });

  it('keeps no alert of the ledger inactive once it is refused, or while its policy does not compete', () => {
    for (const change of [
      { standing: 'Refused' as const, spec: dismissal },
      { spec: { ...dismissal, mode: 'Observe' as const } },
      { spec: { ...dismissal, suspend: true } },
    ]) {
      const given = planInput({ policies: [theirs(change)], ledger: [ledgerEntry()], alerts: [off] });
      expect(plan(given).actions).toMatchObject([{ isActive: true, cause: 'DeclarationGone' }]);
    }
  });

  it('says so', () => {
    const [decision] = plan(planInput({ policies: [ours, unheard] })).policies;
    expect(conditionsOfDecisions({ alerts: decision?.alerts ?? [] })).toMatchObject({
      drafts: {
        Ready: { status: 'Unknown', reason: 'WaitingForClaims' },
        Reconciling: { status: 'True', reason: 'WaitingForClaims' },
        InSync: { status: 'False', reason: 'WaitingForClaims' },
      },
      isDecided: false,
    });
  });
});

describe('an alert whose owner came through another connection', () => {
  const late = { ...noWaits, ownerSinceMs: new Map([[key, nowMs - ownerTurnMs]]) };

  it.each<[string, Partial<PlanInput>, string]>([
    ['is activated there', { policies: [input(), theirs()], alerts: [off] }, 'Drifted/WaitingForOwner > '],
    [
      'is deactivated there',
      { policies: [ours, theirs({ spec: dismissal })], alerts: [firing(['a'])] },
      'Drifted/WaitingForOwner > ',
    ],
    [
      'is activated here once that had its turn',
      { policies: [input(), theirs()], alerts: [off], waits: late },
      'Drifted > +',
    ],
    [
      'is deactivated here once that had its turn',
      { policies: [ours, theirs({ spec: dismissal })], waits: late },
      'Drifted > -',
    ],
    [
      'is activated here at once when that does not reach the service',
      { policies: [input(), theirs({ canAct: false })], alerts: [off] },
      'Drifted > +',
    ],
    [
      'is deactivated here at once when that does not reach the service',
      { policies: [ours, theirs({ canAct: false, spec: dismissal })] },
      'Drifted > -',
    ],
    [
      'is only reported by a policy that observes',
      { policies: [input({ spec: { mode: 'Observe' } }), theirs()], alerts: [off], waits: late },
      'Drifted/ObserveOnly > ',
    ],
    ['is not touched for a policy that wants the opposite', { policies: [ours, theirs()], waits: late }, 'Conflict > '],
  ])('%s', (_, change, expected) => {
    expect(decided(change)).toBe(expected);
  });

  it('is listed again after 1, 3, 7 … s, and when the turn ends', () => {
    const policies = [input(), theirs()];
    const { waits, nextChangeMs } = plan(planInput({ policies, alerts: [off] }));
    expect(waits.ownerSinceMs).toEqual(new Map([[key, nowMs]]));
    expect(nextChangeMs).toBe(nowMs + 1000);
    const next = (ageMs: number) => {
      const given = planInput({ policies, alerts: [off], waits, nowMs: nowMs + ageMs });
      return (plan(given).nextChangeMs ?? NaN) - nowMs;
    };
    expect([1000, 2999, 3000, 7000, 15_000].map(next)).toEqual([3000, 3000, 7000, 15_000, 30_000]);
  });

  it('stays with this one until it is as wanted', () => {
    const policies = [input(), theirs()];
    expect(plan(planInput({ policies, alerts: [off], waits: late })).waits).toEqual(late);
    expect(plan(planInput({ policies, waits: late })).waits).toEqual(noWaits);
  });

  it('is activated here after that turn when this connection deactivated it, whatever is dismissed here', () => {
    const given = { policies: [ours, theirs()], ledger: [ledgerEntry()], alerts: [off] };
    expect(plan(planInput(given))).toMatchObject({ actions: [], waits: { ownerSinceMs: new Map([[key, nowMs]]) } });
    expect(plan(planInput({ ...given, waits: late })).actions).toMatchObject([{ isActive: true }]);
  });

  it('is never reported as a sent correction', () => {
    const [decision] = plan(
      planInput({ policies: [input({ spec: { alerts: [active] } }), theirs()], alerts: [off] }),
    ).policies;
    expect(conditionsOfDecisions({ alerts: decision?.alerts ?? [] }).drafts).toMatchObject({
      Ready: { status: 'Unknown', reason: 'WaitingForOwner' },
      Reconciling: { status: 'True', reason: 'WaitingForOwner' },
      InSync: { status: 'False', reason: 'WaitingForOwner' },
    });
  });
});
