// Indexes policies by (connection, canonical scope), and connections by endpoint. It holds keys only; the objects stay
// in the caches.
import { canonicalScope } from '../alerts/resource-id.ts';
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

/** The canonical form of the service that a connection reaches, equal for all connections to the same endpoint. */
export function endpointKey({ spec }: RoleAlertConnection): string {
  const { baseURL, providerNamespace } = spec.endpoint;
  return `${canonicalURL(baseURL)}\n${providerNamespace.toLowerCase()}`;
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
  return `${url.protocol}//${host}:${url.port}${path}${url.search}`.toLowerCase();
}

/** Percent-encoding of unreserved characters is redundant (RFC 3986, 6.2.2.2). */
function decodeUnreserved(code: string): string {
  const decoded = String.fromCodePoint(Number.parseInt(code.slice(1), 16));
  return /[\w.~-]/.test(decoded) ? decoded : code;
}

export class PolicyIndex {
  /** connection → canonical scope → policies. */
  readonly #policies = new Map<string, Map<string, Set<string>>>();
  readonly #refs = new Map<string, ScopeRef>();
  readonly #endpoints = new Map<string, Set<string>>();
  readonly #endpointOf = new Map<string, string>();

  setPolicy(key: string, ref: ScopeRef): void {
    this.removePolicy(key);
    this.#refs.set(key, ref);
    const scopes = getOrAdd(this.#policies, ref.connection, () => new Map<string, Set<string>>());
    getOrAdd(scopes, ref.scope, () => new Set<string>()).add(key);
  }

  removePolicy(key: string): void {
    const ref = this.#refs.get(key);
    if (!ref) return;
    this.#refs.delete(key);
    const scopes = this.#policies.get(ref.connection);
    const policies = scopes?.get(ref.scope);
    policies?.delete(key);
    if (policies?.size === 0) scopes?.delete(ref.scope);
    if (scopes?.size === 0) this.#policies.delete(ref.connection);
  }

  setConnection(connection: RoleAlertConnection): void {
    const key = namespacedName(connection);
    this.removeConnection(key);
    const endpoint = endpointKey(connection);
    this.#endpointOf.set(key, endpoint);
    getOrAdd(this.#endpoints, endpoint, () => new Set<string>()).add(key);
  }

  removeConnection(key: string): void {
    const endpoint = this.#endpointOf.get(key);
    if (endpoint === undefined) return;
    this.#endpointOf.delete(key);
    const connections = this.#endpoints.get(endpoint);
    connections?.delete(key);
    if (connections?.size === 0) this.#endpoints.delete(endpoint);
  }

  /** Keys of the policies on this connection and scope. */
  policiesAt(ref: ScopeRef): ReadonlySet<string> {
    return this.#policies.get(ref.connection)?.get(ref.scope) ?? emptySet;
  }

  /** Canonical scopes of the connection's policies. */
  scopesOf(connection: string): Iterable<string> {
    return this.#policies.get(connection)?.keys() ?? [];
  }

  policyCount(connection: string): number {
    let count = 0;
    for (const policies of this.#policies.get(connection)?.values() ?? []) count += policies.size;
    return count;
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
}

const emptySet: ReadonlySet<string> = new Set();

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
