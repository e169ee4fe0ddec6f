// The namespaces of the policies that refer to a ClusterRoleAlertConnection. It holds keys only.
import { TextSets } from '../../lib/text-sets.ts';
import { isClusterConnectionKey } from '../../policy/connection-key.ts';

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
