// Plans the scopes of declared objects as an operator that starts now: it places and gathers them with the functions of the controller,
// and plans each as if its reconcile came first after its list. The room of a ledger and the hourly limit of a connection are used up
// from scope to scope.
import type { Alert } from '../../alerts/types.ts';
import { systemClock } from '../../lib/clock.ts';
import { isSameJson, type JsonObject } from '../../lib/json-shape.ts';
import type { PlanInput, PolicyInput } from '../../operator/decide/decisions.ts';
import { plan } from '../../operator/decide/plan.ts';
import { newScopeState } from '../../operator/decide/scope-state.ts';
import {
  type DeactivationFacts,
  Deactivations,
  longestDampingWindowMs,
} from '../../operator/dismissals/deactivations.ts';
import { Ledger } from '../../operator/dismissals/ledger.ts';
import { declarationOf } from '../../operator/dismissals/register.ts';
import { PolicyIndex, PolicyPlaces } from '../../operator/queue/policy-index.ts';
import { gather, type Gathered, isResting, mayList, type PlanMemory, remembered } from '../../operator/scope/gather.ts';
import { selectEntries } from '../../policy/access.ts';
import {
  type AnyConnection,
  caBundleOf,
  credentialOf,
  type CredentialRef,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../../policy/scope-ref.ts';
import type { DeclaredObjects } from './file-objects.ts';
import type { Listing, PlannedScope } from './planned-scope.ts';

export interface PreviewFacts {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** `--interval` of the operator; milliseconds. */
  readonly defaultIntervalMs: number;
  /** The objects before a change: only the scopes that it changes are planned. */
  readonly before?: DeclaredObjects | undefined;
  /** The Secrets and ConfigMaps of the change, by `namespace/name`: a connection that reads one of them is changed. */
  readonly trust?: Trust | undefined;
}

interface Trust {
  readonly secrets: ReadonlyMap<string, JsonObject>;
  readonly configMaps: ReadonlyMap<string, JsonObject>;
  readonly clusterNamespace: string;
}

interface GatheredScope extends Gathered {
  /** The policies that the connection does not let list the scope. */
  readonly denied: readonly PolicyInput[];
}

type DueScope = GatheredScope & { readonly connection: AnyConnection };

export class ScopePlanner {
  /** In the order of the policies; scopes that only a ledger names come last. */
  readonly scopes: readonly GatheredScope[];
  /** The number of scopes that are as before, and not planned; undefined when all are. */
  readonly unchanged: number | undefined;
  readonly #memories: ReadonlyMap<string, StoredMemory>;
  readonly #nowMs: number;

  constructor(objects: DeclaredObjects, { nowMs, defaultIntervalMs, before, trust }: PreviewFacts) {
    const cluster = {
      policies: new Map(objects.policies.map((policy) => [namespacedName(policy), policy])),
      connections: new Map(objects.connections.map((connection) => [namespacedName(connection), connection])),
      namespaces: new Map(objects.namespaces.map((namespace) => [namespace.metadata.name, namespace])),
    };
    const policyIndex = new PolicyIndex();
    const places = new PolicyPlaces({ policyIndex, cluster, selectEntries });
    const placed = objects.policies.map((policy) => ({ ref: scopeRefOf(policy), place: places.place(policy) }));
    const policiesAt = (ref: ScopeRef) => policyIndex.policiesAt(ref).flatMap((key) => cluster.policies.get(key) ?? []);
    const memories = [...cluster.connections].map(([key, connection]) => {
      const windowMsAt = (scope: string) => longestDampingWindowMs(policiesAt({ connection: key, scope }));
      return [key, new StoredMemory(connection, nowMs, windowMsAt)] as const;
    });
    const inLedgers = memories.flatMap(([connection, memory]) =>
      [...memory.ledger.scopes()].map((scope) => ({ connection, scope })),
    );
    this.#nowMs = nowMs;
    this.#memories = new Map(memories);
    const deps = { policyIndex, cluster, clock: { now: () => nowMs }, defaultIntervalMs, selectEntries };
    const gatherAt = (ref: ScopeRef) =>
      gather(deps, { statusWriter: this.#memories.get(ref.connection) ?? nothing }, ref);
    const byScope = Map.groupBy(placed, ({ ref }) => keyOf(ref));
    const refs = new Map([...placed.map(({ ref }) => ref), ...inLedgers].map((ref) => [keyOf(ref), ref]));
    const scopeAt = (ref: ScopeRef): GatheredScope => {
      const denied = (byScope.get(keyOf(ref)) ?? []).filter(({ place }) => place.scope !== ref.scope);
      return { ...gatherAt(ref), denied: denied.flatMap(({ place }) => gatherAt(place).policies) };
    };
    const scopes = [...refs.values()].map(scopeAt);
    const planned = before && new ScopePlanner(before, { nowMs, defaultIntervalMs });
    const known = new Map(planned?.scopes.map((scope) => [keyOf(scope.ref), declaredAt(scope)]));
    const isChanged = (scope: GatheredScope) =>
      readsAny(scope.connection, trust) || !isSameJson(declaredAt(scope), known.get(keyOf(scope.ref)));
    this.scopes = scopes.filter(isChanged);
    this.unchanged = before && scopes.length - this.scopes.length;
  }

  /** The scopes that the operator lists. */
  get due(): readonly DueScope[] {
    return this.scopes.filter((scope): scope is DueScope => mayList(scope) && !isResting(scope));
  }

  /** Call it once. `listings`: of the scopes that are due. */
  plan(listings: ReadonlyMap<GatheredScope, Listing | undefined>): readonly PlannedScope[] {
    return this.scopes.map((scope) => {
      const listing = listings.get(scope);
      const alerts = listing && 'alerts' in listing ? listing.alerts : undefined;
      const memory = this.#memories.get(scope.ref.connection);
      return { ...scope, listing, planned: alerts && memory && this.#planOf(scope, alerts, memory) };
    });
  }

  #planOf({ ref, policies, intervalMs }: GatheredScope, alerts: readonly Alert[], memory: StoredMemory) {
    const { sent, activationBackoffs } = newScopeState(0);
    const input: PlanInput = {
      nowMs: this.#nowMs,
      isReadOnly: false,
      intervalMs,
      policies,
      alerts,
      ...remembered(memory, ref.scope, 0),
      deactivated: new Set(),
      sent,
      activationBackoffs,
    };
    const planned = plan(input);
    for (const { alert, isActive, policyKey } of planned.actions) {
      const policy = policies.find(({ key }) => key === policyKey)?.policy;
      if (!isActive && policy) memory.record(policy, ref.scope, alert);
    }
    return { input, plan: planned };
  }
}

/** What declares the scope: a change of it may change the plan. */
function declaredAt({ connection, deletion, policies, denied }: GatheredScope): object {
  const declared = [...policies, ...denied].map(({ key, policy, grant }) => ({ key, spec: policy.spec, grant }));
  return { connection: connection?.spec, deletion, declared };
}

/** Whether the credential or the CA bundle of the connection is among them. */
function readsAny(connection: AnyConnection | undefined, trust: Trust | undefined): boolean {
  if (!connection || !trust) return false;
  const has = (objects: Trust['secrets'], reference: CredentialRef | undefined) =>
    reference !== undefined && objects.has(`${reference.namespace}/${reference.name}`);
  return (
    has(trust.secrets, credentialOf(connection, trust.clusterNamespace)) ||
    has(trust.configMaps, caBundleOf(connection, trust.clusterNamespace))
  );
}

/** The memory of a connection that does not exist. */
const nothing = { ledger: { recordsOf: () => [] } };

function keyOf({ connection, scope }: ScopeRef): string {
  return `${connection}\n${scope}`;
}

/**
 * What an operator that starts now remembers of the deactivations through a connection: what the status of the connection holds, and what the
 * preview planned since.
 */
class StoredMemory implements PlanMemory {
  readonly #connection: AnyConnection;
  readonly ledger: Ledger;
  readonly #deactivations: Deactivations;

  /** `windowMsAt`: the longest damping window of the policies at a scope. */
  constructor(connection: AnyConnection, nowMs: number, windowMsAt: (scope: string) => number) {
    const clock = { ...systemClock, now: () => nowMs, monotonic: () => 0 };
    this.#connection = connection;
    this.ledger = new Ledger(clock);
    this.ledger.load(connection.status?.dismissals ?? []);
    this.#deactivations = new Deactivations(clock, windowMsAt);
    this.#deactivations.load(connection.status?.recentDeactivations ?? []);
  }

  deactivationsFor(scope: string): DeactivationFacts {
    return this.#deactivations.factsFor(this.#connection, scope);
  }

  /** As the operator records it before it sends the deactivation. */
  record(policy: RoleAlertPolicy, scope: string, alert: string): void {
    this.ledger.recordDismissal({ scope, alert, ...declarationOf(policy, namespacedName(policy), alert) });
    this.#deactivations.add({ namespace: policy.metadata.namespace, scope, alert });
  }
}
