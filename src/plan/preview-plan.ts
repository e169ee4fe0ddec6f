// Plans the scopes of a preview with the function of the operator, each as if its reconcile came first after its list. The room of
// a ledger and the hourly limit of a connection are used up from scope to scope.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Alert } from '../alerts/types.ts';
import type { CodedError } from '../lib/errors.ts';
import { emptyMap } from '../lib/shared-empty.ts';
import type { RecentDeactivation } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { ledgerRoom } from './connection-status.ts';
import type { Action, Plan } from './decisions.ts';
import type { PlanInput, PolicyInput } from './plan-input.ts';
import { plan } from './plan.ts';
import { type PreviewScope, scopeKey } from './preview-scopes.ts';
import { ageMs, countsByNamespace, hourMs } from './recent-deactivations.ts';
import { scopeIntervalMs } from './scope-interval.ts';

/** Where a command found the token that it sent instead of the credential in the Secret of a connection. */
export interface TokenPlace {
  readonly name: string;
  /** How a person replaces the token: an imperative without a full stop. */
  readonly renewal: string;
}

/** `tokenPlace`: undefined for the credential in a Secret, and when nothing was sent. */
export interface FailedListing {
  readonly error: CodedError;
  readonly tokenPlace?: TokenPlace | undefined;
}

/** The complete list of a scope, or why there is none. */
export type Listing = { readonly alerts: readonly Alert[] } | FailedListing;

export interface PlannedScope {
  readonly scope: PreviewScope;
  /** Undefined when the operator would not list the scope. */
  readonly listing: Listing | undefined;
  /** Undefined without a list. */
  readonly planned: { readonly input: PlanInput; readonly plan: Plan } | undefined;
}

export interface PreviewFacts {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** `--interval` of the operator; milliseconds. */
  readonly defaultIntervalMs: number;
}

/** `listings`: by `scopeKey`. */
export function previewPlans(
  scopes: readonly PreviewScope[],
  listings: ReadonlyMap<string, Listing>,
  facts: PreviewFacts,
): readonly PlannedScope[] {
  const budgets = budgetsOf(scopes, facts.nowMs);
  return scopes.map((scope) => {
    const { ref, connection } = scope;
    const listing = listings.get(scopeKey(ref));
    const budget = budgets.get(ref.connection);
    if (!connection || !budget || !listing || !('alerts' in listing)) return { scope, listing, planned: undefined };
    const input: PlanInput = {
      nowMs: facts.nowMs,
      isReadOnly: false,
      intervalMs: scopeIntervalMs(scope.policies, scope.ledger, connection, facts.defaultIntervalMs),
      policies: scope.policies,
      alerts: listing.alerts,
      ledger: scope.ledger,
      ...budget,
      ...emptyMemory,
      recentDeactivations: sentAt(scope, facts.nowMs),
    };
    const planned = plan(input);
    budgets.set(ref.connection, budgetAfter(budget, input, planned));
    return { scope, listing, planned: { input, plan: planned } };
  });
}

const utf8 = new TextEncoder();

/** What only the memory of a running operator holds; a restart begins without it, too. */
const emptyMemory = {
  unproven: new Set<string>(),
  deactivated: new Set<string>(),
  sent: emptyMap,
  activationBackoffs: emptyMap,
};

type Budget = Pick<PlanInput, 'ledgerRoom' | 'deactivationsLeft' | 'deactivationsByNamespace' | 'nextDeactivationMs'>;

function budgetsOf(scopes: readonly PreviewScope[], nowMs: number): Map<string, Budget> {
  const ofConnection = Map.groupBy(scopes, ({ ref }) => ref.connection);
  const budgets = new Map<string, Budget>();
  for (const [key, group] of ofConnection) {
    const connection = group[0]?.connection;
    if (connection) budgets.set(key, budgetOf(connection, nowMs));
  }
  return budgets;
}

function budgetOf(connection: AnyConnection, nowMs: number): Budget {
  const ledger = connection.status?.dismissals ?? [];
  const recent = (connection.status?.recentDeactivations ?? []).filter((each) => ageMs(each, nowMs) < hourMs);
  const oldestMs = Math.min(...recent.map((each) => nowMs - ageMs(each, nowMs)));
  const bytes = ledger.reduce((sum, entry) => sum + utf8.encode(JSON.stringify(entry)).length + 1, 0);
  return {
    ledgerRoom: ledgerRoom({ size: ledger.length, bytes }),
    deactivationsLeft: connection.spec.limits.deactivationsPerHour - recent.length,
    deactivationsByNamespace: countsByNamespace(connection, recent),
    nextDeactivationMs: recent.length === 0 ? undefined : oldestMs + hourMs,
  };
}

/** As `Deactivations.of` has it of a running operator. */
function sentAt({ ref, connection }: PreviewScope, nowMs: number): PlanInput['recentDeactivations'] {
  const own = (connection?.status?.recentDeactivations ?? []).filter(({ scope }) => scope === ref.scope);
  const groups = Map.groupBy(own, ({ alert }) => canonicalName(alert));
  const times = (of: readonly RecentDeactivation[]) =>
    of.map((each) => nowMs - ageMs(each, nowMs)).sort((a, b) => a - b);
  return new Map([...groups].map(([alert, of]) => [alert, times(of)]));
}

/** What the scopes after this one have left. */
function budgetAfter(budget: Budget, { ledger, nowMs, policies }: PlanInput, { actions }: Plan): Budget {
  const deactivations = actions.filter(({ isActive }) => !isActive);
  const known = new Set(ledger.map(({ alert }) => canonicalName(alert)));
  const added = deactivations.filter(({ alert }) => !known.has(canonicalName(alert)));
  return {
    ledgerRoom: budget.ledgerRoom - added.length,
    deactivationsByNamespace: withActions(budget.deactivationsByNamespace, policies, deactivations),
    deactivationsLeft: budget.deactivationsLeft - deactivations.length,
    nextDeactivationMs: budget.nextDeactivationMs ?? (deactivations.length === 0 ? undefined : nowMs + hourMs),
  };
}

function withActions(
  counts: PlanInput['deactivationsByNamespace'],
  policies: readonly PolicyInput[],
  deactivations: readonly Action[],
): PlanInput['deactivationsByNamespace'] {
  const next = counts && new Map(counts);
  for (const { policyKey } of deactivations) {
    const namespace = policies.find(({ key }) => key === policyKey)?.policy.metadata.namespace ?? '';
    next?.set(namespace, (next.get(namespace) ?? 0) + 1);
  }
  return next;
}
