// Any input of a plan: a few policies, alerts and ledger entries that concern each other.
import fc from 'fast-check';

import type { Alert } from '../../../src/alerts/types.ts';
import type { PlanInput, PolicyInput } from '../../../src/operator/decide/decisions.ts';
import type { PendingWrite } from '../../../src/operator/decide/writes.ts';
import type { PolicyAlert } from '../../../src/policy/generated/role-alert-policy.ts';
import { alert, allowed, at, input, ledgerEntry, minuteMs, nowMs, planInput } from './objects.ts';

const names = ['Alpha', 'Beta', 'Gamma'];
const anyName = fc.constantFrom(...names, 'ALPHA', 'beta');
const anyIds = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });

const anyAlert: fc.Arbitrary<Alert> = fc
  .record({
    name: fc.constantFrom(...names),
    isActive: fc.boolean(),
    ids: anyIds,
    more: fc.nat({ max: 2 }),
    severity: fc.constantFrom('Low', 'High', 'Odd', undefined),
  })
  .map(({ ids, more, ...rest }) =>
    alert({ ...rest, incidents: ids.map((id) => ({ id, type: 'T' })), incidentCount: ids.length + more }),
  );
/** Up to three, and more often several than none: else hardly any plan deactivates. */
function several<T>(arbitrary: fc.Arbitrary<T>, selector: (item: T) => string): fc.Arbitrary<T[]> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.uniqueArray(arbitrary, { selector, maxLength: 3 }) },
    { weight: 3, arbitrary: fc.uniqueArray(arbitrary, { selector, minLength: 2, maxLength: 3 }) },
  );
}

const anyAlerts = several(anyAlert, ({ name }) => name);

const anyDeclared: fc.Arbitrary<PolicyAlert> = fc.oneof(
  anyName.map((name) => ({ name, state: 'Active' as const })),
  fc
    .record({
      name: anyName,
      reason: fc.constantFrom('a recorded reason', 'a recorded reason', '        '),
      incidents: fc.option(
        anyIds.filter((ids) => ids.length > 0),
        { nil: undefined },
      ),
      maxIncidents: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      untilMs: fc.option(
        fc.integer({ min: -2, max: 2 }).map((hours) => hours * 60 * minuteMs),
        { nil: undefined },
      ),
    })
    .map(({ name, reason, incidents, maxIncidents, untilMs }) => ({
      name,
      state: 'Inactive' as const,
      dismissal: {
        reason,
        ...(incidents && { incidents }),
        ...(!incidents && maxIncidents !== undefined && { maxIncidents }),
        ...(untilMs !== undefined && { until: at(untilMs) }),
      },
    })),
);

const anyPolicy: fc.Arbitrary<PolicyInput> = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'c') }),
    createdAt: fc.constantFrom('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    alerts: several(anyDeclared, ({ name }) => name.toLowerCase()),
    mode: fc.constantFrom('Enforce', 'Enforce', 'Observe'),
    suspend: fc.constantFrom(false, false, true),
    isDeleting: fc.constantFrom(false, false, false, true),
    unlisted: fc.constantFrom('Ignore', 'Active'),
    deactivation: fc.constantFrom('Allow', 'Allow', 'Deny'),
  })
  .map(({ alerts, mode, suspend, unlisted, isDeleting, deactivation, ...rest }) =>
    input({
      ...rest,
      grant: { ...allowed, deactivation, maxDismissalMs: 90 * minuteMs },
      spec: { alerts, mode, suspend, unlisted: { state: unlisted, minSeverity: 'Medium' } },
      metadata: isDeleting ? { deletionTimestamp: at(-1) } : {},
    }),
  );

const anySent: fc.Arbitrary<ReadonlyMap<string, PendingWrite>> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...names),
      isActive: fc.boolean(),
      ageMs: fc.constantFrom(0, 1000, 2 * minuteMs, 60 * minuteMs),
      kind: fc.constantFrom(undefined, 'Refused' as const, 'Unreachable' as const, 'NotWritten' as const),
    }),
    { maxLength: 3 },
  )
  .map(
    (writes) =>
      new Map(
        writes.map(({ name, isActive, ageMs, kind }) => [
          name.toLowerCase(),
          {
            isActive,
            sentAtMs: nowMs - ageMs,
            cause: 'Declared' as const,
            policyKey: undefined,
            actor: 'Unknown' as const,
            tries: 1,
            ...(kind && { failure: { kind, serviceCode: undefined, retryAtMs: nowMs - ageMs + minuteMs } }),
          },
        ]),
      ),
  );

export const anyPlanInput: fc.Arbitrary<PlanInput> = fc
  .record({
    policies: several(anyPolicy, ({ key }) => key),
    alerts: anyAlerts,
    ledger: fc
      .uniqueArray(fc.constantFrom(...names), { maxLength: 3 })
      .map((alerts) => alerts.map((each) => ledgerEntry({ alert: each }))),
    ledgerRoom: fc.nat({ max: 3 }),
    isReadOnly: fc.constantFrom(false, false, false, true),
    sent: anySent,
  })
  .map((change) => planInput(change));
