// When time alone changes a plan: every moment that is known, and none that is over.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import {
  alert,
  alertName,
  allowed,
  at,
  damped,
  inactive,
  input,
  ledgerEntry,
  minuteMs,
  pendingWrite,
  nowMs,
  planInput,
} from '../../../support/builders/objects.ts';

const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const key = alertName.toLowerCase();
const next = (change: Partial<PlanInput>) => {
  const { nextChangeMs } = plan(planInput(change));
  return nextChangeMs === undefined ? undefined : nextChangeMs - nowMs;
};
const dismissing = (bound: Parameters<typeof inactive>[0], change: Parameters<typeof input>[0] = {}) =>
  input({ spec: { alerts: [inactive(bound)] }, ...change });

describe('a plan changes next', () => {
  it('seven days before a dismissal ends, and then at its end', () => {
    const alerts = [alert({ isActive: false })];
    expect(next({ policies: [dismissing({ until: at(7 * dayMs + hourMs) })], alerts })).toBe(hourMs);
    expect(next({ policies: [dismissing({ until: at(7 * dayMs) })], alerts })).toBe(7 * dayMs);
  });

  it('when a dismissal has become short enough, and when a write is to be checked or repeated', () => {
    const alerts = [alert({ isActive: false })];
    const far = at(allowed.maxDismissalMs + hourMs);
    expect(next({ policies: [dismissing({ until: far })], alerts })).toBe(hourMs);
    const after = (change: Parameters<typeof pendingWrite>[0]) =>
      next({ alerts, sent: new Map([[key, pendingWrite(change)]]) });
    expect(after({ sentAtMs: nowMs - 3000 })).toBe(4000);
    expect(after({ failure: { kind: 'Refused', serviceCode: 'Nope', retryAtMs: nowMs + 7000 } })).toBe(7000);
  });

  it('not at a moment that is now', () => {
    expect(next({ policies: [dismissing({ until: at(0) })], alerts: [alert()] })).toBeUndefined();
  });

  it('when a suspension ends, and at once when it ended during the list', () => {
    const back = (endMs: number) => input({ spec: { suspend: true, suspendUntil: at(endMs) } });
    expect(next({ policies: [back(minuteMs)] })).toBe(minuteMs);
    expect(next({ policies: [back(minuteMs)], nowMs: nowMs + 2 * minuteMs })).toBe(2 * minuteMs + 1);
    expect(next({ policies: [back(-minuteMs)] })).toBeUndefined();
  });

  it('when the window of the policy that owns such an alert ends, also for the others that declare it', () => {
    const dampedFor = (window: string, change: Parameters<typeof input>[0]) =>
      input({
        spec: { alerts: [inactive({ incidents: ['a'] })], damping: { maxDeactivations: 3, window } },
        ...change,
      });
    const owner = dampedFor('24h', { name: 'owner', createdAt: '2025-01-01T00:00:00Z' });
    const policies = [owner, dampedFor('6h', { name: 'other' })];
    const decided = plan(planInput({ policies, ...damped }));
    expect(decided.policies.map(({ alerts }) => alerts[0]?.untilMs)).toEqual([
      nowMs + 21 * hourMs,
      nowMs + 21 * hourMs,
    ]);
    expect(decided.nextChangeMs).toBe(nowMs + 21 * hourMs);
  });

  it('when a list can prove that an entry of the ledger is over', () => {
    const ledger = [ledgerEntry({ sinceMs: nowMs - minuteMs })];
    expect(next({ policies: [], ledger, unproven: new Set([key]) })).toBe(2 * minuteMs + 1000);
    expect(next({ policies: [dismissing({ incidents: ['a'] })], ledger, deactivationsLeft: 0 })).toBeUndefined();
  });
});
