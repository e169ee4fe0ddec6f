// Edits policies as the person who runs the command, one patch each.
import { policyResource } from '../../operator/kube/custom-resources.ts';
import { KubeError } from '../../operator/kube/kube-error.ts';
import { objectPath, queryOf } from '../../operator/kube/resource.ts';
import { decodePolicy } from '../../policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { patchOf, type PolicyEdit } from '../report/policy-edit.ts';
import type { ClusterPlace } from './cluster-place.ts';

/** The name of this program in `managedFields` for what a person changes with it; the operator has another. */
const commandFieldManager = 'rolealerts-cli';

/** Resolves with the stored policy. Rejects with a `KubeError`, also for a policy that was created again under the name. */
export async function editPolicy(
  { transport, signal }: ClusterPlace,
  { metadata: { namespace, name, uid } }: RoleAlertPolicy,
  edit: PolicyEdit,
): Promise<RoleAlertPolicy> {
  const { metadata, spec } = patchOf(edit);
  const answer = await transport.request<unknown>({
    verb: 'patch',
    path: `${objectPath(policyResource, namespace, name)}${queryOf({ fieldManager: commandFieldManager })}`,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { ...metadata, uid }, spec }),
    signal,
  });
  const { value, problems } = decodePolicy(answer);
  if (value) return value;
  throw new KubeError('kube-unreachable', 'The API server answered to the patch with an object that cannot be read.', {
    detail: problems.join(', '),
  });
}
