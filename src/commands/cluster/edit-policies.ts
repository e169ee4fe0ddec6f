// Edits policies as the person who runs the command, one patch each.
import { LocalError } from '../../lib/command-errors.ts';
import { policyResource } from '../../operator/kube/custom-resources.ts';
import { createCustomResources } from '../../operator/kube/custom-resources.ts';
import { isKubeError, KubeError } from '../../operator/kube/kube-error.ts';
import { objectPath, queryOf } from '../../operator/kube/resource.ts';
import { decodePolicy } from '../../policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { objectName } from '../report/object-name.ts';
import { patchOf, type PolicyEdit } from '../report/policy-edit.ts';
import type { ClusterPlace } from './cluster-place.ts';

/** The name of this program in `managedFields` for what a person changes with it; the operator has another. */
const commandFieldManager = 'rolealerts-cli';

/** The operator writes statuses meanwhile, so a conflict is common and passes. */
const attempts = 10;

/**
 * Patches exactly the version of the policy that was read, and reads it again after a conflict. Resolves with the stored
 * policy. Rejects with a `KubeError`, or with a `LocalError` when the policy is gone or was created again.
 */
export async function editPolicy(
  place: ClusterPlace,
  policy: RoleAlertPolicy,
  edit: PolicyEdit,
): Promise<RoleAlertPolicy> {
  let current = policy;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendPatch(place, current, edit);
    } catch (error) {
      if (!isKubeError(error, 'kube-conflict') || attempt === attempts) throw error;
      current = await readAgain(place, policy);
    }
  }
}

async function sendPatch(
  { transport, signal }: ClusterPlace,
  { metadata: { namespace, name, uid, resourceVersion } }: RoleAlertPolicy,
  edit: PolicyEdit,
): Promise<RoleAlertPolicy> {
  const { metadata, spec } = patchOf(edit);
  const answer = await transport.request<unknown>({
    verb: 'patch',
    path: `${objectPath(policyResource, namespace, name)}${queryOf({ fieldManager: commandFieldManager })}`,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { ...metadata, uid, resourceVersion }, spec }),
    signal,
  });
  const { value, problems } = decodePolicy(answer);
  if (value) return value;
  throw new KubeError('kube-unreachable', 'The API server answered to the patch with an object that cannot be read.', {
    detail: problems.join(', '),
  });
}

async function readAgain({ transport, signal }: ClusterPlace, policy: RoleAlertPolicy): Promise<RoleAlertPolicy> {
  const { namespace, name, uid } = policy.metadata;
  const current = await createCustomResources(transport).readPolicy(namespace, name, signal);
  if (current?.metadata.uid === uid) return current;
  throw new LocalError(`${objectName(policy)} was deleted meanwhile: check the name and run the command again.`);
}
