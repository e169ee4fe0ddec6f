// Indexes policies by (connection, canonical scope), connections by endpoint, and the scopes with dismissals. It holds
// keys only; the objects stay in the caches. A question about one scope takes no longer when there are more scopes,
// policies or connections elsewhere.
import { canonicalScope } from '../alerts/resource-id.ts';
import { TextSets } from '../lib/text-sets.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';

/** Identifies a work item: one scope through one connection. */
export interface ScopeRef {
  /** `namespace/name` of the connection. */
  readonly connection: string;
  /** Canonical scope. */
  readonly scope: string;
}

export function namespacedName(object: {
  readonly metadata: { readonly namespace: string; readonly name: string };
}): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

export function scopeRefOf(policy: RoleAlertPolicy): ScopeRef {
  const { connectionRef, scope } = policy.spec;
  return { connection: `${policy.metadata.namespace}/${connectionRef.name}`, scope: canonicalScope(scope) };
}

/**
 * The canonical form of the service that a connection reaches, equal for all connections to the same endpoint. Policies
 * show it as `status.dismissalEndpoint`.
 */
export function endpointKey({ spec }: RoleAlertConnection): string {
  const { baseURL, providerNamespace } = spec.endpoint;
  return `${canonicalURL(baseURL)} ${providerNamespace.toLowerCase()}`;
}

/**
 * Compares paths without regard to case. If two services differ only by the case of their paths, an alert may stay
 * active because of the wrong one; a comparison with case could instead bypass a guard.
 */
function canonicalURL(text: string): string {
  const url = URL.parse(text);
  // No request can be sent to an invalid URL; any stable form will do.
  if (!url) return text.replace(/\/+$/, '').toLowerCase();
  const host = url.hostname.replace(/\.$/, '');
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, decodeUnreserved).replace(/\/+$/, '');
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${path}${url.search}`.toLowerCase();
}

/** Percent-encoding of unreserved characters is redundant (RFC 3986, 6.2.2.2). */
function decodeUnreserved(code: string): string {
  const decoded = String.fromCodePoint(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(decoded) ? decoded : code;
}

export class PolicyIndex {
  /** connection → canonical scope → policies. */
  readonly #policies = new Map<string, TextSets>();
  readonly #refs = new Map<string, ScopeRef>();
  /** connection → number of its policies. */
  readonly #counts = new Map<string, number>();
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
    this.removePolicy(key);
    this.#refs.set(key, ref);
    this.#counts.set(ref.connection, this.policyCount(ref.connection) + 1);
    getOrAdd(this.#policies, ref.connection, () => new TextSets()).add(ref.scope, key);
    this.#withPolicies.add(ref.scope, ref.connection);
    this.#onChange(ref);
  }

  removePolicy(key: string): void {
    const ref = this.#refs.get(key);
    if (!ref) return;
    this.#refs.delete(key);
    const left = this.policyCount(ref.connection) - 1;
    if (left > 0) this.#counts.set(ref.connection, left);
    else this.#counts.delete(ref.connection);
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

  setConnection(connection: RoleAlertConnection): void {
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

  scopeCount(connection: string): number {
    return this.#policies.get(connection)?.size ?? 0;
  }

  policyCount(connection: string): number {
    return this.#counts.get(connection) ?? 0;
  }

  /** Keys of all connections to the same endpoint; the given one need not be indexed. */
  connectionsAt(connection: RoleAlertConnection): readonly string[] {
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
