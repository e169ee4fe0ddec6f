// What must hold for every plan: safety of deactivations, no action without a list, stability, and silence afterwards.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Action, PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan, planActions } from '../../../../src/operator/decide/plan.ts';
import { verifyWrites, type PendingWrite } from '../../../../src/operator/decide/writes.ts';
import { nextPolicyStatus } from '../../../../src/operator/report/policy-status.ts';
import { anyPlanInput } from '../../../support/builders/any-plan-input.ts';
import { intervalMs, ledgerEntry, minuteMs, nowMs } from '../../../support/builders/objects.ts';

const runs = { numRuns: 500 };
const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** What speaks against turning this alert off. */
function wrongs(given: PlanInput, action: Action): string[] {
  const owner = given.policies.find(({ key }) => key === action.policyKey)!;
  const declared = owner.policy.spec.alerts!.find(({ name }) => sameName(name, action.alert))!;
  const live = given.alerts.find(({ name }) => name === action.alert)!;
  const { reason, incidents, maxIncidents, until } = declared.dismissal!;
  const untilMs = until === undefined ? undefined : Date.parse(until);
  const isNamed =
    live.incidents.length === live.incidentCount && live.incidents.every(({ id }) => incidents?.includes(id));
  const { mode, suspend } = owner.policy.spec;
  const checks: Readonly<Record<string, boolean>> = {
    'no grant': owner.grant.deactivation !== 'Allow',
    'not enforced': mode !== 'Enforce' || suspend || owner.policy.metadata.deletionTimestamp !== undefined,
    'no reason': reason.replaceAll(/\s/g, '').length < 8,
    'no bound': (incidents ?? until) === undefined,
    'time is up': untilMs !== undefined && untilMs <= nowMs,
    'too many incidents': maxIncidents !== undefined && live.incidentCount > maxIncidents,
    'an incident that is not named': incidents !== undefined && !isNamed,
    'too long': !incidents && (untilMs ?? 0) - nowMs > owner.grant.maxDismissalMs,
  };
  return Object.keys(checks).filter((what) => checks[what]);
}

describe('every plan', () => {
  it('has the same actions when only the actions are asked for, for all alerts and for each alone', () => {
    fc.assert(
      fc.property(anyPlanInput, (given) => {
        expect(planActions(given)).toEqual(plan(given).actions);
        for (const each of given.alerts) {
          const alone = { ...given, alerts: [each] };
          expect(planActions(alone)).toEqual(plan(alone).actions);
        }
      }),
      runs,
    );
  });

  it('turns nothing off without mode, grant, reason, bound that holds, and room in the ledger', () => {
    fc.assert(
      fc.property(anyPlanInput, (given) => {
        const deactivations = plan(given).actions.filter(({ isActive }) => !isActive);
        expect(deactivations.flatMap((action) => wrongs(given, action))).toEqual([]);
        const unknown = deactivations.filter(
          ({ alert: name }) => !given.ledger.some((entry) => sameName(entry.alert, name)),
        );
        expect(unknown.length).toBeLessThanOrEqual(given.ledgerRoom);
      }),
      runs,
    );
  });

  it('sends at most one PATCH for an alert, only for listed ones, only where it changes something, and none when read-only', () => {
    fc.assert(
      fc.property(anyPlanInput, (given) => {
        const { actions } = plan(given);
        const live = new Map(given.alerts.map((each) => [each.name, each.isActive]));
        for (const { alert: name, isActive } of actions) expect(live.get(name)).toBe(!isActive);
        expect(new Set(actions.map(({ alert: name }) => name)).size).toBe(actions.length);
        expect(given.isReadOnly && actions.length > 0).toBe(false);
      }),
      runs,
    );
  });

  it('leaves no alert inactive that is in the ledger and that no policy declares', () => {
    fc.assert(
      fc.property(anyPlanInput, (given) => {
        const free = { ...given, isReadOnly: false, sent: new Map() };
        const activated = plan(free).actions.filter(({ isActive }) => isActive);
        for (const entry of given.ledger) {
          const live = given.alerts.find(({ name }) => sameName(name, entry.alert));
          const mayBeDeclared = given.policies.some(({ policy }) =>
            policy.spec.alerts?.some(({ name, state }) => state === 'Inactive' && sameName(name, entry.alert)),
          );
          if (!live || live.isActive || mayBeDeclared) continue;
          expect(activated.map(({ alert: name }) => name)).toContain(live.name);
        }
      }),
      runs,
    );
  });

  it('is stable: once its actions are done no action is left, and another list changes no status', () => {
    fc.assert(
      fc.property(anyPlanInput, (given) => {
        const free = { ...given, sent: new Map<string, PendingWrite>() };
        const first = plan(free);
        const done = given.alerts.map((each) => {
          const action = first.actions.find(({ alert: name }) => name === each.name);
          return action ? { ...each, isActive: action.isActive } : each;
        });
        const sent = new Map(
          first.actions.map(({ alert: name, ...action }) => [
            name.toLowerCase(),
            { ...action, sentAtMs: nowMs, tries: 1 },
          ]),
        );
        const { corrections, open } = verifyWrites(sent, done, intervalMs, nowMs);
        expect([corrections.length, open.size]).toEqual([first.actions.length, 0]);
        const entered = first.actions
          .filter(({ isActive }) => !isActive)
          .map(({ alert: name }) => ledgerEntry({ alert: name }));
        const after = { ...free, alerts: done, ledger: [...given.ledger, ...entered] };
        const second = plan(after);
        expect(second.actions).toEqual([]);
        for (const decision of second.policies) {
          const own = corrections.filter(({ policyKey }) => policyKey === decision.key);
          const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
          const base = { effective, connection: 'Connected' as const, policy: decision.policy };
          const status = nextPolicyStatus({ ...base, cause: { kind: 'listed', decision, corrections: own }, nowMs });
          const again = nextPolicyStatus({
            ...base,
            policy: { ...decision.policy, status },
            cause: { kind: 'listed', decision, corrections: [] },
            nowMs: nowMs + 60 * minuteMs,
          });
          // An alert that is still missing after an interval stalls the policy, and nothing else changes.
          const isMissing = status.conditions?.some(
            ({ type, reason }) => type === 'Ready' && reason === 'AlertNotFound',
          );
          const added = isMissing ? again.conditions?.filter(({ type }) => type === 'Stalled') : [];
          expect(added?.map(({ reason }) => reason)).toEqual(isMissing ? ['AlertNotFound'] : []);
          const conditions = again.conditions?.filter((each) => !added?.includes(each));
          expect({ ...again, conditions }).toEqual(status);
          const types = status.conditions?.map(({ type }) => type) ?? [];
          expect(types.includes('Reconciling') && types.includes('Stalled')).toBe(false);
        }
      }),
      runs,
    );
  });
});
