// Indexes policies by (connection, canonical scope). It holds keys only; the objects stay in the caches. A question about one
// scope takes no longer when there are more scopes, policies or connections elsewhere.
import { TextSets } from '../../lib/text-sets.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import { addCount, PolicyNamespaces } from './policy-namespaces.ts';

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
