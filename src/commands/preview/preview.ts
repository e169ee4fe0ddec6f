// What a plan would change, or what `plan --activate` changed, and why nothing changes where a reader may wonder: the data and the words for
// every format of `rolealerts plan`.
import { counted } from '../../lib/counted.ts';
import type { CodedError } from '../../lib/errors.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { ActionCause } from '../../operator/decide/writes.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import type { DriftActor } from '../../policy/generated/role-alert-policy.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';

/** What `plan --activate` did with an activation. */
export interface SentActivation extends ScopeRef {
  readonly alert: string;
  /** `Verified`: a list that began after the PATCH shows the alert active. */
  readonly result: 'Verified' | 'NotVerified' | 'Failed';
  /** Of the PATCH, or of the list that should verify it. */
  readonly error: CodedError | undefined;
}

export interface ShownDismissal {
  readonly reason: string;
  readonly until: string | undefined;
  readonly incidents: readonly string[] | undefined;
  readonly maxIncidents: number | undefined;
  /** The bound in words. */
  readonly bound: string;
}

/** What the previews of all scopes have in common. */
export interface PreviewContext {
  /** The time that the plan is for; milliseconds since 1970. */
  readonly nowMs: number;
  /** `Cluster`: statuses hold the ledger and the recent deactivations. `Files`: these are assumed empty. */
  readonly memory: 'Cluster' | 'Files';
  /** The only namespace that was read from a cluster; undefined for all, and for files. */
  readonly namespace?: string | undefined;
  /** The API server did not let the command list ClusterRoleAlertConnections. */
  readonly isClusterDenied?: boolean | undefined;
  /** The namespace of the Secrets of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
  /** The scopes that the files do not change, and that are not planned; undefined when all are. */
  readonly unchanged?: number | undefined;
  /** The activations that were sent; undefined for a plan alone. */
  readonly sent?: readonly SentActivation[] | undefined;
}

/** `-o json` prints the scopes as they are: within a version members may be added, never renamed or removed. Members without a value are absent. */
export interface Preview extends PreviewContext {
  readonly scopes: readonly ScopePreview[];
}

export interface ScopePreview {
  /** The key of the connection. */
  readonly connection: string;
  readonly scope: string;
  /** As `namespace/name`. */
  readonly policies: readonly string[];
  readonly changes: readonly PreviewChange[];
  readonly notes: readonly PreviewNote[];
}

/** One PATCH. */
export interface PreviewChange {
  readonly alert: string;
  readonly action: 'Activate' | 'Deactivate';
  /** Undefined for a dismissal of the ledger that no policy declares any more. */
  readonly policy: string | undefined;
  readonly cause: ActionCause;
  /** The cause in words, without a full stop. */
  readonly because: string;
  /** The class of actor that probably made the change necessary. */
  readonly actor: DriftActor;
  readonly severity: string | undefined;
  readonly incidents: number;
  /** Of a deactivation. */
  readonly dismissal: ShownDismissal | undefined;
  /** Undefined for a change that was not sent. */
  readonly result: SentActivation['result'] | undefined;
  /** Why it failed or is not verified, as a sentence. */
  readonly error: string | undefined;
}

/**
 * `Failed`: the preview cannot tell what would change. `NotReady`: the policy would have the condition Ready with status False. `Held`: a
 * correction that waits. `NotApplied`: declared, and neither corrected nor waiting. `InForce`: why an alert or a policy stays as it is.
 */
export type NoteKind = 'Failed' | 'NotReady' | 'Held' | 'NotApplied' | 'InForce';

export interface PreviewNote {
  readonly kind: NoteKind;
  /** Undefined where it concerns the whole policy or scope. */
  readonly alert: string | undefined;
  readonly policy: string | undefined;
  /** The reason of the condition that a policy would show, or a word of this command. */
  readonly reason: string;
  /** Sentences with the next step. */
  readonly message: string;
  /** When the wait ends, if that is known; RFC 3339. */
  readonly until: string | undefined;
}

/** `held`: corrections that wait. `notReady`: policies that would not be ready. `failed`: scopes about which the preview cannot tell. `sent`: of the activations, when they were sent. */
export function totalsOfPreview({ scopes, sent, unchanged }: Preview) {
  const changes = scopes.flatMap((scope) => scope.changes);
  const activations = changes.filter(({ action }) => action === 'Activate').length;
  const notes = scopes.flatMap((scope) => scope.notes);
  const notReady = notes.flatMap(({ kind, policy }) => (kind === 'NotReady' ? [policy] : []));
  const count = (result: SentActivation['result']) => changes.filter((change) => change.result === result).length;
  return {
    scopes: scopes.length,
    activations,
    deactivations: changes.length - activations,
    held: notes.filter(({ kind }) => kind === 'Held').length,
    notReady: new Set(notReady).size,
    failed: scopes.filter((scope) => scope.notes.some(({ kind }) => kind === 'Failed')).length,
    ...(unchanged !== undefined && { unchanged }),
    ...(sent && { sent: { verified: count('Verified'), notVerified: count('NotVerified'), failed: count('Failed') } }),
  };
}

/** The live state, without a full stop. */
export function liveSentence({ action, incidents, severity, result }: PreviewChange): string {
  const state = action === 'Activate' ? 'inactive' : 'active';
  const more = severity === undefined ? '' : `, severity ${severity}`;
  return `${result === undefined ? 'now' : 'was'} ${state} with ${counted(incidents, 'incident')}${more}`;
}

/** What changes, why, and what it was before, without a full stop. */
export function changeSentence({ scope }: ScopePreview, change: PreviewChange): string {
  const { alert, action, because, dismissal, result, error } = change;
  const verb = action === 'Deactivate' ? 'would become inactive' : activationVerbs[result ?? 'Planned'];
  const more = dismissal ? `; reason: ${dismissal.reason}; bound: ${dismissal.bound}` : '';
  const failure = error === undefined ? '' : `; ${error}`;
  return `${alert} of ${scope} ${verb}: ${because}; ${liveSentence(change)}${more}${failure}`;
}

const activationVerbs = {
  Planned: 'would become active',
  Verified: 'became active',
  NotVerified: 'was activated, and the service does not show it as active',
  Failed: 'could not be activated',
} as const;

/** Sentences with the end of a wait. */
export function noteSentence({ message, until, reason }: PreviewNote): string {
  const isInMessage = reason === 'WaitingForWindow';
  return until === undefined || isInMessage ? message : `${message} It waits until ${until}.`;
}

/** The object that a change or a note is about. */
export function sourceOf({ connection }: ScopePreview, { policy }: { readonly policy: string | undefined }): string {
  return policy === undefined ? connectionName('connection', connection) : `policy ${policy}`;
}

/** `Plan for TIME: 2 deactivations, 1 activation, …`, or `Activated: 1 alert, …`. */
export function previewSummary(preview: Preview): string {
  const { scopes, activations, deactivations, held, notReady, failed, sent } = totalsOfPreview(preview);
  const parts = sent
    ? [
        counted(sent.verified, 'alert'),
        ...(sent.notVerified > 0 ? [`${sent.notVerified} not verified`] : []),
        ...(sent.failed > 0 ? [`${sent.failed} failed`] : []),
        `${counted(deactivations, 'deactivation')} left to the operator`,
      ]
    : [counted(deactivations, 'deactivation'), counted(activations, 'activation')];
  const waiting = held > 0 ? `, ${counted(held, 'correction')} waiting` : '';
  const failing = notReady > 0 ? `; ${counted(notReady, 'policy', 'policies')} not ready` : '';
  const unknown = failed > 0 ? `; ${counted(failed, 'scope')} not known` : '';
  const what = sent ? 'Activated' : `Plan for ${formatTimestamp(preview.nowMs)}`;
  return `${what}: ${parts.join(', ')}${waiting}, on ${counted(scopes, 'scope')}${failing}${unknown}.`;
}

/** What the plan assumes, or does not know. */
export function memoryNotes({ memory, namespace, sent, unchanged = 0 }: Preview): readonly string[] {
  const notes = [];
  if (unchanged > 0) {
    notes.push(`Not planned: ${counted(unchanged, 'scope')} that the files do not change. --all plans them as well.`);
  }
  if (namespace !== undefined) {
    notes.push(
      `Known: the policies of namespace ${namespace}. --all-namespaces adds those of others, which may claim the same alerts through a ClusterRoleAlertConnection.`,
    );
  } else if (memory === 'Files' && !sent) {
    notes.push(
      'Assumed: the operator has no dismissals in its ledger, and has sent no deactivations recently. --live reads both from the cluster.',
    );
  }
  return notes;
}
