// A preview as text: deactivations first and apart, then activations, what waits, what is not applied, and what is not known.
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { counted } from './preview-sentences.ts';
import {
  type NoteKind,
  type Preview,
  type PreviewChange,
  type PreviewNote,
  type ScopePreview,
  totalsOfPreview,
} from './preview.ts';

/** In the order of the output. */
const noteHeadings: Readonly<Record<NoteKind, string>> = {
  Held: 'Waiting',
  NotApplied: 'Not applied',
  InForce: 'Stays as it is',
  Failed: 'NOT KNOWN',
};

export function previewText(preview: Preview): string {
  const { scopes } = preview;
  const sections = [
    ...changeSection('DEACTIVATIONS: these alerts would become inactive', scopes, 'Deactivate'),
    ...changeSection('Activations', scopes, 'Activate'),
    ...(Object.keys(noteHeadings) as NoteKind[]).flatMap((kind) => noteSection(kind, scopes)),
    `${previewSummary(preview)}\n${memorySentence(preview)}`,
  ];
  return sections.join('\n');
}

/** `Plan for TIME: 2 deactivations, 1 activation, …` */
export function previewSummary(preview: Preview): string {
  const { scopes, activations, deactivations, held, failed } = totalsOfPreview(preview);
  const parts = [
    counted(deactivations, 'deactivation'),
    counted(activations, 'activation'),
    ...(held > 0 ? [`${counted(held, 'correction')} waiting`] : []),
  ];
  const unknown = failed > 0 ? `; ${counted(failed, 'scope')} not known` : '';
  return `Plan for ${formatTimestamp(preview.nowMs)}: ${parts.join(', ')}, on ${counted(scopes, 'scope')}${unknown}.`;
}

/** What the plan assumes; empty when nothing. With a line break. */
export function memorySentence({ memory, namespace }: Preview): string {
  if (namespace !== undefined) {
    return `Known: the policies of namespace ${namespace}. --all-namespaces adds those of others, which may claim the same alerts through a ClusterRoleAlertConnection.\n`;
  }
  if (memory === 'Cluster') return '';
  return 'Assumed: the operator has no dismissals in its ledger, and has sent no deactivations recently. --live reads both from the cluster.\n';
}

/** A heading and the changes of that kind; empty without any. */
export function changeSection(
  heading: string,
  scopes: readonly ScopePreview[],
  action: PreviewChange['action'],
): readonly string[] {
  const found = scopes.flatMap((scope) =>
    scope.changes.filter((change) => change.action === action).map((change) => changeLines(scope, change)),
  );
  return found.length === 0 ? [] : [`${heading} (${found.length})\n${found.join('')}`];
}

function changeLines(scope: ScopePreview, change: PreviewChange): string {
  const { alert, action, because, dismissal, policy } = change;
  const by = policy === undefined ? '' : `policy ${policy}, `;
  const lines = [
    `  ${action === 'Activate' ? '+' : '!'} ${alert} of ${scope.scope}`,
    ...(dismissal ? [`      reason: ${dismissal.reason}`, `      bound:  ${dismissal.bound}`] : []),
    `      cause:  ${because}; ${liveSentence(change)}`,
    `      by:     ${by}${connectionName('connection', scope.connection)}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The live state. */
export function liveSentence({ action, incidents, severity }: PreviewChange): string {
  const now = action === 'Activate' ? 'inactive' : 'active';
  return `now ${now} with ${counted(incidents, 'incident')}${severity === undefined ? '' : `, severity ${severity}`}`;
}

/** As `changeSection`. */
export function noteSection(kind: NoteKind, scopes: readonly ScopePreview[]): readonly string[] {
  const found = scopes.flatMap((scope) =>
    scope.notes.filter((note) => note.kind === kind).map((note) => noteLine(scope, note)),
  );
  return found.length === 0 ? [] : [`${noteHeadings[kind]} (${found.length})\n${found.join('')}`];
}

function noteLine({ connection, scope }: ScopePreview, note: PreviewNote): string {
  const object = note.policy === undefined ? connectionName('connection', connection) : `policy ${note.policy}`;
  return `  ${object}, ${scope}: ${note.reason}\n      ${note.message}${untilSentence(note)}\n`;
}

/** With a blank before it; empty when the end is not known or the message has it. */
export function untilSentence({ untilMs, reason }: PreviewNote): string {
  const isInMessage = reason === 'WaitingForWindow';
  return untilMs === undefined || isInMessage ? '' : ` It waits until ${formatTimestamp(untilMs)}.`;
}
