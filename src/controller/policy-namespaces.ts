// The namespaces of the policies that refer to a ClusterRoleAlertConnection. It holds keys only.
import { TextSets } from '../lib/text-sets.ts';
import { isClusterConnectionKey } from '../policy/connection-key.ts';

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
    this.#counts.set(connection, counts.set(namespace, (counts.get(namespace) ?? 0) + 1));
  }

  delete(policyKey: string, connection: string): void {
    const counts = this.#counts.get(connection);
    if (!counts) return;
    const namespace = namespaceOf(policyKey);
    this.#policies.delete(namespace, policyKey);
    const left = (counts.get(namespace) ?? 0) - 1;
    if (left > 0) counts.set(namespace, left);
    else counts.delete(namespace);
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

function namespaceOf(policyKey: string): string {
  return policyKey.slice(0, policyKey.indexOf('/'));
}
