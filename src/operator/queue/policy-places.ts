// Where each policy is indexed: at its scope, or at a denied scope of its own while its ClusterRoleAlertConnection does not let
// it list the scope. The place follows from the caches, so every change of a connection or a namespace places its policies again.
import { isSameJson } from '../../lib/json-shape.ts';
import { accessOf } from '../../policy/access.ts';
import type { SelectEntries } from '../../policy/access.ts';
import { connectionKeyOf, isClusterConnectionKey } from '../../policy/connection-key.ts';
import { grantOf } from '../../policy/grant.ts';
import {
  type AnyConnection,
  clusterConnectionKind,
  type NamespaceMetadata,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../../policy/scope-ref.ts';
import type { KnownObjects } from '../ports.ts';
import { deniedScopeOf, type PolicyIndex } from './policy-index.ts';

interface PolicyPlacesDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: KnownObjects;
  readonly selectEntries: SelectEntries;
}

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
