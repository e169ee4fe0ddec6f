// Where each policy is indexed: at its scope, or at a denied scope of its own while its ClusterRoleAlertConnection does not let
// it list the scope. The place follows from the caches, so every change of a connection or a namespace places its policies again.
import { isSameJson } from '../lib/same-json.ts';
import { connectionKeyOf, isClusterConnectionKey } from '../policy/connection-key.ts';
import { grantOf } from '../policy/grant.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../policy/resources.ts';
import { deniedScopeOf, namespacedName, type PolicyIndex, type ScopeRef, scopeRefOf } from './policy-index.ts';
import type { ClusterPort } from './ports.ts';

export interface PolicyPlacesDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: Pick<ClusterPort, 'policies' | 'connections' | 'namespaces'>;
}

export class PolicyPlaces {
  readonly #deps: PolicyPlacesDeps;

  constructor(deps: PolicyPlacesDeps) {
    this.#deps = deps;
  }

  /** Indexes the policy, and returns its place. */
  place(policy: RoleAlertPolicy): ScopeRef {
    const { policyIndex, cluster } = this.#deps;
    const connection = cluster.connections.get(connectionKeyOf(policy));
    const namespace = cluster.namespaces.get(policy.metadata.namespace);
    const isDenied = connection !== undefined && grantOf(connection, policy, namespace).list !== 'Allow';
    const ref = scopeRefOf(policy);
    const key = namespacedName(policy);
    const place = isDenied ? { ...ref, scope: deniedScopeOf(key) } : ref;
    policyIndex.setPolicy(key, place);
    return place;
  }

  /** The connection was created, changed or deleted. */
  connectionChanged(key: string): void {
    // A RoleAlertConnection grants every policy of its namespace to list its scope.
    if (!isClusterConnectionKey(key)) return;
    const { policyIndex, cluster } = this.#deps;
    for (const policyKey of policyIndex.policiesOf(key)) {
      const policy = cluster.policies.get(policyKey);
      if (policy) this.place(policy);
    }
  }

  /** Returns the scopes of the policies whose grants differ; a policy that moved has two. */
  namespaceChanged(
    name: string,
    before: NamespaceMetadata | undefined,
    now: NamespaceMetadata | undefined,
  ): readonly ScopeRef[] {
    const { policyIndex, cluster } = this.#deps;
    return policyIndex.clusterPoliciesIn(name).flatMap((key) => {
      const policy = cluster.policies.get(key);
      const connection = policy && cluster.connections.get(connectionKeyOf(policy));
      if (!connection || isSameGrant(connection, policy, before, now)) return [];
      const left = policyIndex.refOf(key);
      const ref = this.place(policy);
      return left === undefined || left.scope === ref.scope ? [ref] : [left, ref];
    });
  }
}

function isSameGrant(
  connection: AnyConnection,
  policy: RoleAlertPolicy,
  before: NamespaceMetadata | undefined,
  now: NamespaceMetadata | undefined,
): boolean {
  return isSameJson(grantOf(connection, policy, before), grantOf(connection, policy, now));
}
