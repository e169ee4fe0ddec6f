// The course of the commands reconcile, suspend and resume: select, edit, wait.
import { formatShortDuration } from '../../lib/duration.ts';
import { isCoded, messageOf } from '../../lib/errors.ts';
import { Semaphore } from '../../lib/semaphore.ts';
import { policyResource } from '../../operator/kube/custom-resources.ts';
import { isKubeError, KubeError } from '../../operator/kube/kube-error.ts';
import { objectPath, queryOf } from '../../operator/kube/resource.ts';
import { decodePolicy } from '../../policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { objectName } from '../report/object-name.ts';
import { editedText, handledText, patchOf, type PolicyEdit, stalledText, waitingText } from '../report/policy-edit.ts';
import { awaitPolicies, type UnhandledPolicy } from './await-policies.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { type PolicySelection, selectPolicies } from './select-policies.ts';

export interface PolicyEditRun {
  readonly edit: PolicyEdit;
  readonly selection: PolicySelection;
  /** What to say of a policy before its edit. */
  readonly noteOf: (policy: RoleAlertPolicy) => string | undefined;
  /** Milliseconds; undefined when the command does not wait. */
  readonly waitMs: number | undefined;
  /** Receives the lines of the result. */
  readonly print: (text: string) => void;
}

/** Resolves with true when every policy was edited and, if the command waits, handled. A note says what was not. */
export async function runPolicyEdit(place: ClusterPlace, run: PolicyEditRun): Promise<boolean> {
  const { edit, waitMs, print, noteOf } = run;
  const selected = await selectPolicies(place, run.selection);
  if (selected.length === 0) place.note('No policy matches: check --namespace, --selector and --context.');
  for (const sentence of selected.flatMap((policy) => noteOf(policy) ?? [])) place.note(sentence);
  const edited = await editAll(place, selected, edit);
  if (waitMs === undefined) {
    for (const policy of edited) print(editedText(policy, edit));
    return edited.length === selected.length;
  }
  return (await waitForAll(place, { ...run, waitMs }, edited)) && edited.length === selected.length;
}

/** Resolves with the policies that were edited. A note says which were not. */
async function editAll(
  place: ClusterPlace,
  policies: readonly RoleAlertPolicy[],
  edit: PolicyEdit,
): Promise<readonly RoleAlertPolicy[]> {
  const permits = new Semaphore(8);
  const edited = await Promise.all(
    policies.map((policy) =>
      permits.run(async () => {
        try {
          return await editPolicy(place, policy, edit);
        } catch (error) {
          if (policies.length === 1 || !isRefusalOfOne(error)) throw error;
          place.note(`${objectName(policy)} was not changed: ${messageOf(error)}${detailOf(error)}`);
          return undefined;
        }
      }),
    ),
  );
  return edited.filter((policy) => policy !== undefined);
}

/** Concerns this policy, and says nothing of the others. */
function isRefusalOfOne(error: unknown): boolean {
  return isKubeError(error, 'kube-invalid', 'kube-conflict', 'kube-denied', 'kube-not-found');
}

function detailOf(error: unknown): string {
  return isCoded(error) && error.detail !== undefined ? ` ${error.detail}` : '';
}

async function waitForAll(
  place: ClusterPlace,
  { edit, waitMs, print }: PolicyEditRun & { readonly waitMs: number },
  edited: readonly RoleAlertPolicy[],
): Promise<boolean> {
  let isAllWell = true;
  const unhandled = await awaitPolicies(place, {
    edited,
    edit,
    timeoutMs: waitMs,
    onHandled(policy, progress) {
      if (progress === 'Handled') return print(handledText(policy, edit));
      isAllWell = false;
      place.note(stalledText(policy));
    },
  });
  for (const each of unhandled) place.note(unhandledText(each, waitMs, place.signal));
  return isAllWell && unhandled.length === 0;
}

function unhandledText({ edited, last }: UnhandledPolicy, waitMs: number, signal: AbortSignal): string {
  if (!last) return `${objectName(edited)} was deleted meanwhile: check the name and run the command again.`;
  if (signal.aborted) return `${objectName(edited)} was changed, and the operator may not have handled it yet.`;
  return waitingText(last, formatShortDuration(waitMs));
}

/** The name of this program in `managedFields` for what a person changes with it; the operator has another. */
const commandFieldManager = 'rolealerts-cli';

/** Resolves with the stored policy. Rejects with a `KubeError`, also for a policy that was created again under the name. */
async function editPolicy(
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
