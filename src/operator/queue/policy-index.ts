// Indexes policies by (connection, canonical scope), and decides where each belongs: at its scope, or at a denied scope of its own while
// its ClusterRoleAlertConnection does not let it list the scope. It holds keys only; the objects stay in the caches. A question about one
// scope takes no longer when there are more scopes, policies or connections elsewhere.
import { isSameJson } from '../../lib/json-shape.ts';
import { TextSets } from '../../lib/text-sets.ts';
import { accessOf, type SelectedEntry, type SelectEntries, selectEntries } from '../../policy/access.ts';
import { connectionKeyOf, isClusterConnectionKey } from '../../policy/connection-key.ts';
import type { AccessEntry } from '../../policy/generated/cluster-role-alert-connection.ts';
import { grantOf } from '../../policy/grant.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type NamespaceMetadata,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../../policy/scope-ref.ts';
import type { KnownObjects } from '../ports.ts';

/**
 * Takes the place of the scope of a policy that its connection does not let list the scope. Such a policy is a work item of its
 * own: its edits and interval must not cause requests for the scope, which other policies may reach through the same
 * connection. No scope has a colon.
 */
export function deniedScopeOf(policyKey: string): string {
  return `denied:${policyKey}`;
}

export function isDeniedScope(scope: string): boolean {
  return scope.startsWith('denied:');
}

export class PolicyIndex {
  /** connection → canonical scope → policies. */
  readonly #policies = new Map<string, TextSets>();
  readonly #refs = new Map<string, ScopeRef>();
  /** connection → number of its policies. */
  readonly #counts = new Map<string, number>();
  /** connection → number of its denied scopes. */
  readonly #denied = new Map<string, number>();
  readonly #namespaces = new PolicyNamespaces();
  readonly #onChange: (ref: ScopeRef) => void;
  /** `onChange` is called with the scope of every policy that was set or removed. */
  constructor(onChange: (ref: ScopeRef) => void = () => undefined) {
    this.#onChange = onChange;
  }

  setPolicy(key: string, ref: ScopeRef): void {
    const known = this.#refs.get(key);
    // As with every edit that moves no policy.
    if (known?.connection === ref.connection && known.scope === ref.scope) {
      this.#onChange(ref);
      return;
    }
    this.removePolicy(key);
    this.#refs.set(key, ref);
    addCount(this.#counts, ref.connection, 1);
    if (isDeniedScope(ref.scope)) addCount(this.#denied, ref.connection, 1);
    this.#namespaces.add(key, ref.connection);
    const scopes = this.#policies.get(ref.connection) ?? new TextSets();
    this.#policies.set(ref.connection, scopes);
    scopes.add(ref.scope, key);
    this.#onChange(ref);
  }

  removePolicy(key: string): void {
    const ref = this.#refs.get(key);
    if (!ref) return;
    this.#refs.delete(key);
    addCount(this.#counts, ref.connection, -1);
    if (isDeniedScope(ref.scope)) addCount(this.#denied, ref.connection, -1);
    this.#namespaces.delete(key, ref.connection);
    const scopes = this.#policies.get(ref.connection);
    scopes?.delete(ref.scope, key);
    if (scopes?.size === 0) this.#policies.delete(ref.connection);
    this.#onChange(ref);
  }

  /** Keys of the policies on this connection and scope. */
  policiesAt(ref: ScopeRef): readonly string[] {
    return this.#policies.get(ref.connection)?.of(ref.scope) ?? [];
  }

  /** Canonical scopes of the connection's policies. */
  scopesOf(connection: string): Iterable<string> {
    return this.#policies.get(connection)?.keys() ?? [];
  }

  /** Without denied scopes. */
  scopeCount(connection: string): number {
    return (this.#policies.get(connection)?.size ?? 0) - (this.#denied.get(connection) ?? 0);
  }

  /** Number of namespaces with policies of a ClusterRoleAlertConnection; 0 for any other. */
  namespaceCount(connection: string): number {
    return this.#namespaces.count(connection);
  }

  /** Keys of the policies of a namespace that refer to a ClusterRoleAlertConnection. */
  clusterPoliciesIn(namespace: string): readonly string[] {
    return this.#namespaces.policiesIn(namespace);
  }

  /** Where the policy is indexed. */
  refOf(policyKey: string): ScopeRef | undefined {
    return this.#refs.get(policyKey);
  }

  /** Keys of the connection's policies. */
  policiesOf(connection: string): readonly string[] {
    const scopes = this.#policies.get(connection);
    return scopes ? [...scopes.keys()].flatMap((scope) => scopes.of(scope)) : [];
  }

  policyCount(connection: string): number {
    return this.#counts.get(connection) ?? 0;
  }
}

/** The namespaces of the policies that refer to a ClusterRoleAlertConnection. It holds keys only. */
export class PolicyNamespaces {
  /** namespace → keys of policies. */
  readonly #policies = new TextSets();
  /** connection → namespace → number of policies. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** Ignores policies of any other connection. */
  add(policyKey: string, connection: string): void {
    if (!isClusterConnectionKey(connection)) return;
    const namespace = namespaceOf(policyKey);
    this.#policies.add(namespace, policyKey);
    const counts = this.#counts.get(connection) ?? new Map<string, number>();
    this.#counts.set(connection, counts);
    addCount(counts, namespace, 1);
  }

  delete(policyKey: string, connection: string): void {
    const counts = this.#counts.get(connection);
    if (!counts) return;
    const namespace = namespaceOf(policyKey);
    this.#policies.delete(namespace, policyKey);
    addCount(counts, namespace, -1);
    if (counts.size === 0) this.#counts.delete(connection);
  }

  /** Number of namespaces with policies of the connection. */
  count(connection: string): number {
    return this.#counts.get(connection)?.size ?? 0;
  }

  policiesIn(namespace: string): readonly string[] {
    return this.#policies.of(namespace);
  }
}

/** Leaves out keys whose number is 0. */
export function addCount(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function namespaceOf(policyKey: string): string {
  return policyKey.slice(0, policyKey.indexOf('/'));
}

interface PolicyPlacesDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: KnownObjects;
  readonly selectEntries: SelectEntries;
}

/** Where each policy is indexed: at its scope, or at a denied scope of its own while its ClusterRoleAlertConnection does not let it list the scope. The place follows from the caches, so every change of a connection or a namespace places its policies again. */
export class PolicyPlaces {
  readonly #deps: PolicyPlacesDeps;

  constructor(deps: PolicyPlacesDeps) {
    this.#deps = deps;
  }

  /** Indexes the policy, and returns its place. */
  place(policy: RoleAlertPolicy): ScopeRef {
    const { policyIndex, cluster, selectEntries } = this.#deps;
    const connection = cluster.connections.get(connectionKeyOf(policy));
    const namespace = cluster.namespaces.get(policy.metadata.namespace);
    const isDenied = connection !== undefined && grantOf(connection, policy, namespace, selectEntries).list !== 'Allow';
    const ref = scopeRefOf(policy);
    const key = namespacedName(policy);
    const place = isDenied ? { ...ref, scope: deniedScopeOf(key) } : ref;
    policyIndex.setPolicy(key, place);
    return place;
  }

  /**
   * The connection was created, changed or deleted. `before`: the object until now, if it had one. Returns the scopes of the policies
   * that the entries of `access` grant something else than before; a policy that moved has two.
   */
  connectionChanged(key: string, before?: AnyConnection): readonly ScopeRef[] {
    // A RoleAlertConnection grants every policy of its namespace to list its scope.
    if (!isClusterConnectionKey(key)) return [];
    const { policyIndex, cluster } = this.#deps;
    const now = cluster.connections.get(key);
    return policyIndex.policiesOf(key).flatMap((policyKey) => {
      const policy = cluster.policies.get(policyKey);
      if (!policy) return [];
      const places = this.#placeAgain(policy);
      return !before || !now || this.#isSameAccess(before, now, policy) ? [] : places;
    });
  }

  /** Returns the scopes of the policies whose grants differ; a policy that moved has two. */
  namespaceChanged(
    name: string,
    before: NamespaceMetadata | undefined,
    now: NamespaceMetadata | undefined,
  ): readonly ScopeRef[] {
    const { policyIndex, cluster, selectEntries } = this.#deps;
    return policyIndex.clusterPoliciesIn(name).flatMap((key) => {
      const policy = cluster.policies.get(key);
      const connection = policy && cluster.connections.get(connectionKeyOf(policy));
      if (!connection) return [];
      const grantIn = (namespace: NamespaceMetadata | undefined) =>
        grantOf(connection, policy, namespace, selectEntries);
      return isSameJson(grantIn(before), grantIn(now)) ? [] : this.#placeAgain(policy);
    });
  }

  /** Returns its place, and the one that it left. */
  #placeAgain(policy: RoleAlertPolicy): readonly ScopeRef[] {
    const left = this.#deps.policyIndex.refOf(namespacedName(policy));
    const ref = this.place(policy);
    return left === undefined || left.scope === ref.scope ? [ref] : [left, ref];
  }

  /** Compares nothing of the connections but their entries. */
  #isSameAccess(before: AnyConnection, now: AnyConnection, policy: RoleAlertPolicy): boolean {
    const { cluster, selectEntries } = this.#deps;
    const namespace = cluster.namespaces.get(policy.metadata.namespace);
    const accessBy = ({ kind, spec }: AnyConnection) =>
      kind === clusterConnectionKind ? accessOf(spec.access ?? [], policy.spec, namespace, selectEntries) : undefined;
    return isSameJson(accessBy(before), accessBy(now));
  }
}

type Selections = WeakMap<NamespaceMetadata, readonly SelectedEntry[]>;

/**
 * Remembers which entries of `access` select a namespace, for as long as both objects are in use: every reconcile asks for the grants of its
 * policies several times. The objects in the caches never change, so a changed label or entry comes as another object.
 */
export function rememberSelections(): SelectEntries {
  const byEntries = new WeakMap<readonly AccessEntry[], Selections>();
  return (entries, namespace) => {
    const known: Selections = byEntries.get(entries) ?? new WeakMap();
    byEntries.set(entries, known);
    const selected = known.get(namespace) ?? selectEntries(entries, namespace);
    known.set(namespace, selected);
    return selected;
  };
}
