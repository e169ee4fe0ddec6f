// One policy of a ClusterRoleAlertConnection in every situation that decides what it may do, and what the operator does then.
import type { StatusCause } from '../../../src/operator/decide/conclude.ts';
import type { PolicyInput } from '../../../src/operator/decide/decisions.ts';
import { plan } from '../../../src/operator/decide/plan.ts';
import { effectiveSettings, nextPolicyStatus } from '../../../src/operator/report/policy-status.ts';
import type { AccessEntry } from '../../../src/policy/generated/cluster-role-alert-connection.ts';
import type { RoleAlertPolicySpec } from '../../../src/policy/generated/role-alert-policy.ts';
import { grantOf } from '../../../src/policy/grant.ts';
import type { RoleAlertPolicy } from '../../../src/policy/resources.ts';
import {
  alert,
  allowed,
  at,
  clusterConnection,
  inactive,
  input,
  intervalMs,
  minuteMs,
  namespace,
  nowMs,
  damped,
  planInput,
  policy,
  throughCluster,
} from '../builders/objects.ts';

export const dimensions = {
  namespace: ['Matches', 'Differs', 'Unknown'],
  scope: ['Equal', 'Below', 'Sibling', 'Above', 'OtherCase', 'Encoded'],
  mode: ['Enforce', 'Observe'],
  direction: ['Activate', 'Deactivate', 'Guard'],
  maxMode: ['Enforce', 'Observe'],
  deactivation: ['Allow', 'Deny'],
  unlisted: ['Allow', 'Deny'],
  /** `spec.deactivation` of the connection. */
  gate: ['Allow', 'Deny'],
  /**
   * Entries besides the one that the case is about. `Rest`: one for the same namespaces and scopes, with everything that
   * the first one lacks, and nothing that it has. `Apart`: one with everything for every namespace on another scope, and
   * one with everything for other namespaces on this scope.
   */
  others: ['None', 'Rest', 'Apart'],
  window: ['Open', 'Closed'],
  damping: ['Free', 'UsedUp'],
  /**
   * `Opposite`: an older policy of the same connection declares the opposite. `Guarded`: a younger one guards every
   * alert.
   */
  claim: ['Alone', 'Opposite', 'Guarded'],
} as const;

export type AccessCase = { readonly [Name in keyof typeof dimensions]: (typeof dimensions)[Name][number] };

/** What the operator does for the policy. */
export interface AccessResult {
  /** Whether the policy may cause requests. */
  readonly isListed: boolean;
  readonly sends: 'Nothing' | 'Activation' | 'Deactivation';
  readonly effectiveMode: 'Enforce' | 'Observe' | undefined;
  /** Of the condition Ready. */
  readonly reason: string;
  readonly isStalled: boolean;
}

/** The scope of the entry, and of the policy in each relation to it. */
export const entryScope = 'subscriptions/a';
export const scopes: Readonly<Record<AccessCase['scope'], string>> = {
  Equal: 'subscriptions/a',
  Below: 'subscriptions/a/resourceGroups/b',
  Sibling: 'subscriptions/ab',
  Above: 'subscriptions',
  OtherCase: 'Subscriptions/A/b',
  Encoded: 'subscriptions%2Fa/b',
};

/** Every case that differs in nothing else from `kept`. */
export function* allCases(kept: Partial<AccessCase> = {}): Iterable<AccessCase> {
  let cases: Record<string, string>[] = [{}];
  for (const [name, values] of Object.entries(dimensions)) {
    const fixed = kept[name as keyof AccessCase];
    cases = cases.flatMap((each) => (fixed ? [fixed] : values).map((value) => ({ ...each, [name]: value })));
  }
  yield* cases as unknown as AccessCase[];
}

const day = 24 * 60 * minuteMs;
/** Closed at the time of the plans, 2026-06-01T12:00Z. */
const closed = [{ kind: 'Deny', schedule: '0 0 1 6 *', duration: '24h', timeZone: 'UTC' }] as const;

/** What the code does with the case. */
export function resultOf(each: AccessCase): AccessResult {
  const object = policyOf(each);
  const connection = clusterConnection({
    deactivation: each.gate,
    access: entriesOf(each),
    ...(each.window === 'Closed' && { correctionWindows: closed }),
  });
  const known = each.namespace === 'Unknown' ? undefined : namespace();
  const grant = grantOf(connection, object, known);
  const own: PolicyInput = { ...input(), policy: object, key: 'team/owners', grant };
  const isListed = grant.list === 'Allow';
  const planned = isListed
    ? plan(
        planInput({
          policies: [own, ...othersOf(each)],
          alerts: [liveOf(each)],
          ...(each.damping === 'UsedUp' && damped),
        }),
      )
    : undefined;
  const decision = planned?.policies.find(({ key }) => key === own.key);
  const cause: StatusCause = decision ? { kind: 'listed', decision, corrections: [] } : { kind: 'access-denied' };
  const effective = effectiveSettings(own, intervalMs, false);
  const status = nextPolicyStatus({ policy: object, cause, effective, connection: 'Connected', nowMs });
  const sent = planned?.actions.filter(({ policyKey }) => policyKey === own.key) ?? [];
  return {
    isListed,
    sends: sent.length === 0 ? 'Nothing' : sent[0]?.isActive === true ? 'Activation' : 'Deactivation',
    effectiveMode: isListed ? effective.mode : undefined,
    reason: status.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '',
    isStalled: status.conditions?.some(({ type }) => type === 'Stalled') === true,
  };
}

function entriesOf(each: AccessCase): AccessEntry[] {
  const namespaceSelector = { matchLabels: { team: each.namespace === 'Differs' ? 'b' : 'a' } };
  const { maxMode, deactivation, unlisted } = each;
  const all = { scopes: [entryScope], maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' } as const;
  const other = <T>(value: T, a: T, b: T) => (value === a ? b : a);
  const entry: AccessEntry = { namespaceSelector, scopes: [entryScope], maxMode, deactivation, unlisted };
  switch (each.others) {
    case 'None':
      return [entry];
    case 'Rest':
      return [
        entry,
        {
          ...entry,
          maxMode: other(maxMode, 'Enforce', 'Observe'),
          deactivation: other(deactivation, 'Allow', 'Deny'),
          unlisted: other(unlisted, 'Allow', 'Deny'),
        },
      ];
    case 'Apart':
      return [
        { ...all, namespaceSelector: {}, scopes: ['subscriptions/elsewhere'] },
        entry,
        { ...all, namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] } },
      ];
  }
}

const dismissal = inactive({});

function policyOf(each: AccessCase): RoleAlertPolicy {
  const { mode } = each;
  const base: Partial<RoleAlertPolicySpec> = { connectionRef: throughCluster, scope: scopes[each.scope], mode };
  const declared: Readonly<Record<AccessCase['direction'], Partial<RoleAlertPolicySpec>>> = {
    Activate: {},
    Deactivate: { alerts: [dismissal] },
    Guard: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } },
  };
  const spec = { ...base, ...declared[each.direction] };
  return policy({ createdAt: at(-2 * day), spec });
}

function liveOf({ direction }: AccessCase) {
  return alert({ isActive: direction === 'Deactivate' });
}

function othersOf({ claim, direction }: AccessCase): PolicyInput[] {
  if (claim === 'Alone') return [];
  if (claim === 'Guarded') {
    const spec = { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
    return [input({ name: 'younger', createdAt: at(-day), spec, grant: allowed })];
  }
  const opposite = direction === 'Deactivate' ? {} : { alerts: [dismissal] };
  return [input({ name: 'older', createdAt: at(-3 * day), spec: opposite, grant: allowed })];
}
