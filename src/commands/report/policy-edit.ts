// The edits of the commands reconcile, suspend and resume: the patch of each, when the operator has handled it, and what to
// print about it.
import { cleanMessage, cleanText } from '../../lib/clean-text.ts';
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { echoOf } from '../../operator/report/policy-status.ts';
import type { Condition } from '../../policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../../policy/resources.ts';
import { isSuspended } from '../../policy/suspension.ts';
import { objectName } from './object-name.ts';

export type PolicyEdit =
  /** `requestedAt`: a value that no earlier request had. */
  | { readonly kind: 'reconcile'; readonly requestedAt: string }
  /** `until`: RFC 3339; absent for a suspension without an end. */
  | { readonly kind: 'suspend'; readonly until?: string }
  | { readonly kind: 'resume' };

/** A JSON merge patch. */
export function patchOf(edit: PolicyEdit): { readonly metadata?: object; readonly spec?: object } {
  switch (edit.kind) {
    case 'reconcile':
      return { metadata: { annotations: { [requestedAtAnnotation]: edit.requestedAt } } };
    case 'suspend':
      return { spec: { suspend: true, suspendUntil: edit.until ?? null } };
    case 'resume':
      return { spec: { suspend: false, suspendUntil: null } };
  }
}

/** What the operator made of an edit. */
export type EditProgress = 'Handled' | 'Stalled' | 'Waiting';

/** `policy`: as it is now. `edited`: as the API server answered to the patch. */
export function editProgress(policy: RoleAlertPolicy, edit: PolicyEdit, edited: RoleAlertPolicy): EditProgress {
  if (!isHandled(policy, edit, edited)) return 'Waiting';
  return conditionOf(policy.status, 'Stalled')?.status === 'True' && edit.kind !== 'suspend' ? 'Stalled' : 'Handled';
}

function isHandled({ metadata, status }: RoleAlertPolicy, edit: PolicyEdit, edited: RoleAlertPolicy): boolean {
  const { generation } = edited.metadata;
  if (edit.kind === 'resume') return (status?.observedGeneration ?? -1) >= generation;
  if (edit.kind === 'reconcile') {
    // A later request replaces this one.
    const requested = metadata.annotations?.[requestedAtAnnotation] ?? edit.requestedAt;
    return status?.lastHandledReconcileAt === echoOf(requested);
  }
  const ready = conditionOf(status, 'Ready');
  return ready?.reason === 'Suspended' && (ready.observedGeneration ?? -1) >= generation;
}

/** After the patch, without waiting. */
export function editedText(policy: RoleAlertPolicy, edit: PolicyEdit): string {
  return `${objectName(policy)} ${edit.kind === 'reconcile' ? 'reconcile requested' : doneWords(edit)}\n`;
}

/** Once the operator has handled it. */
export function handledText(policy: RoleAlertPolicy, edit: PolicyEdit): string {
  const ready = conditionOf(policy.status, 'Ready');
  const state = edit.kind === 'suspend' || !ready ? '' : `: Ready is ${ready.status} (${cleanText(ready.reason)})`;
  return `${objectName(policy)} ${doneWords(edit)}${state}\n`;
}

function doneWords(edit: PolicyEdit): string {
  if (edit.kind === 'reconcile') return 'reconciled';
  if (edit.kind === 'resume') return 'resumed';
  return edit.until === undefined ? 'suspended' : `suspended until ${edit.until}`;
}

/** Why the operator can do nothing for the policy although it handled the edit. */
export function stalledText(policy: RoleAlertPolicy): string {
  const { reason = '', message = '' } = conditionOf(policy.status, 'Stalled') ?? {};
  return `${objectName(policy)} is stalled (${cleanText(reason)}): ${cleanMessage(message)}`;
}

/** What the operator waits for, as far as the status shows it. `waited`: how long, as text. */
export function waitingText(policy: RoleAlertPolicy, waited: string): string {
  const ready = conditionOf(policy.status, 'Ready');
  const isKnown = ready !== undefined && ready.status !== 'True' && ready.reason !== 'Pending';
  const shown = notReadyConnection(policy) ?? (isKnown ? ready : undefined);
  const cause = shown
    ? conditionText(shown)
    : `Its status shows no cause. Check that an operator runs and watches namespace ${policy.metadata.namespace}; while its connection has no requests left, a reconcile waits. To wait longer, use --timeout.`;
  return `${objectName(policy)} was not handled within ${waited}. ${cause}`;
}

function notReadyConnection({ status }: RoleAlertPolicy): Condition | undefined {
  const condition = conditionOf(status, 'ConnectionReady');
  return condition?.status === 'False' ? condition : undefined;
}

function conditionText({ type, status, reason, message }: Condition): string {
  return `${type} is ${status} (${cleanText(reason)}): ${cleanMessage(message)}`;
}

/** What a user may not expect of a reconcile request at this time; undefined otherwise. */
export function requestNote(policy: RoleAlertPolicy, nowMs: number): string | undefined {
  const { name, namespace } = policy.metadata;
  if (isSuspended(policy.spec, nowMs)) {
    return `${objectName(policy)} is suspended, so a reconcile lists and corrects nothing. To resume it, run \`rolealerts resume ${name} -n ${namespace}\`.`;
  }
  const condition = notReadyConnection(policy);
  return condition && `A reconcile of ${objectName(policy)} waits for its connection: ${conditionText(condition)}`;
}
