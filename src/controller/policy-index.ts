// Indexes policies by (connection, canonical scope), connections by endpoint, and the scopes with dismissals. It holds
// keys only; the objects stay in the caches. A question about one scope takes no longer when there are more scopes,
// policies or connections elsewhere.
import { TextSets } from '../lib/text-sets.ts';
import { endpointKey } from '../policy/endpoint-key.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { namespacedName, type ScopeRef } from '../policy/scope-ref.ts';
import { PolicyNamespaces } from './policy-namespaces.ts';

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
  /** Canonical scope → the connections with policies there. */
  readonly #withPolicies = new TextSets();
  /** Canonical scope → the connections with dismissals in the ledger there. */
  readonly #withDismissals = new TextSets();
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #endpointOf = new Map<string, string>();
  /** Connection → its place among the connections to its endpoint. */
  readonly #places = new Map<string, number>();
  #nextPlace = 0;

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
    getOrAdd(this.#policies, ref.connection, () => new TextSets()).add(ref.scope, key);
    this.#withPolicies.add(ref.scope, ref.connection);
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
    if (scopes?.has(ref.scope) === false) this.#withPolicies.delete(ref.scope, ref.connection);
    if (scopes?.size === 0) this.#policies.delete(ref.connection);
    this.#onChange(ref);
  }

  /** Whether the ledger of the connection has entries for the scope. */
  setDismissals({ connection, scope }: ScopeRef, hasDismissals: boolean): void {
    if (hasDismissals) this.#withDismissals.add(scope, connection);
    else this.#withDismissals.delete(scope, connection);
  }

  setConnection(connection: AnyConnection): void {
    const key = namespacedName(connection);
    this.removeConnection(key);
    const endpoint = endpointKey(connection);
    this.#endpointOf.set(key, endpoint);
    this.#places.set(key, this.#nextPlace++);
    getOrAdd(this.#endpoints, endpoint, () => new Set<string>()).add(key);
  }

  removeConnection(key: string): void {
    const endpoint = this.#endpointOf.get(key);
    if (endpoint === undefined) return;
    this.#endpointOf.delete(key);
    this.#places.delete(key);
    deleteMember(this.#endpoints, endpoint, key);
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

  /** Keys of all connections to the same endpoint; the given one need not be indexed. */
  connectionsAt(connection: AnyConnection): readonly string[] {
    return [...(this.#endpoints.get(endpointKey(connection)) ?? [])];
  }

  /** Keys of all connections to the same endpoint, this one included. */
  connectionsToSameEndpoint(connection: string): readonly string[] {
    const endpoint = this.#endpointOf.get(connection);
    const connections = endpoint === undefined ? undefined : this.#endpoints.get(endpoint);
    return connections ? [...connections] : [connection];
  }

  /** True when no other connection reaches its endpoint. */
  isAloneAtEndpoint(connection: string): boolean {
    const endpoint = this.#endpointOf.get(connection);
    return endpoint === undefined || (this.#endpoints.get(endpoint)?.size ?? 0) < 2;
  }

  /** Identifies the endpoint of the connection; undefined for a connection that is not indexed. */
  endpointOf(connection: string): string | undefined {
    return this.#endpointOf.get(connection);
  }

  /** As `connectionsToSameEndpoint`, but only those with policies on the scope. */
  connectionsWithPolicies({ connection, scope }: ScopeRef): readonly string[] {
    const declaring = this.#withPolicies.of(scope);
    const endpoint = this.#endpointOf.get(connection);
    if (endpoint === undefined) return declaring.includes(connection) ? [connection] : [];
    return this.#toEndpoint(endpoint, declaring);
  }

  /** Keys of all connections to the endpoint with policies or dismissals on the scope. */
  connectionsConcernedAt(endpoint: string | undefined, scope: string): readonly string[] {
    const concerned = [...this.#withPolicies.of(scope), ...this.#withDismissals.of(scope)];
    return this.#toEndpoint(endpoint, [...new Set(concerned)]);
  }

  /** Those of `connections` that reach the endpoint, in the order of `connectionsToSameEndpoint`. */
  #toEndpoint(endpoint: string | undefined, connections: readonly string[]): readonly string[] {
    const place = (key: string) => this.#places.get(key) ?? 0;
    return connections
      .filter((key) => endpoint !== undefined && this.#endpointOf.get(key) === endpoint)
      .sort((a, b) => place(a) - place(b));
  }
}

function addCount(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function deleteMember(sets: Map<string, Set<string>>, key: string, member: string): void {
  const members = sets.get(key);
  members?.delete(member);
  if (members?.size === 0) sets.delete(key);
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
