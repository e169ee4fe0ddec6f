// A preview as text, as JSON for scripts, and as Markdown for the comment of a pull request: deactivations first and apart, then activations,
// what waits, what is not applied, and what is not known.
import { indentedJson } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { markdownTable, plainMarkdown } from '../report/markdown.ts';
import {
  liveSentence,
  memorySentence,
  type NoteKind,
  noteSentence,
  type Preview,
  type PreviewChange,
  type PreviewNote,
  previewSummary,
  type ScopePreview,
  sourceOf,
  totalsOfPreview,
} from './preview.ts';

/** Each change belongs to one of them. */
const changeGroups = {
  DeactivatePlanned: 'DEACTIVATIONS: these alerts would become inactive',
  DeactivateLeft: 'LEFT TO THE OPERATOR: only its ledger ends a deactivation',
  ActivatePlanned: 'Activations',
  Verified: 'Activated, and verified by a second list',
  NotVerified: 'SENT, AND NOT VERIFIED: the service does not show the alerts as active',
  Failed: 'FAILED',
} as const;

type ChangeGroup = keyof typeof changeGroups;

const noteHeadings: Readonly<Record<NoteKind, string>> = {
  Held: 'Waiting',
  NotApplied: 'Not applied',
  InForce: 'Stays as it is',
  Failed: 'NOT KNOWN',
};

interface Placed<T> {
  readonly scope: ScopePreview;
  readonly item: T;
}

function changesIn({ scopes, sent }: Preview): readonly (readonly [ChangeGroup, readonly Placed<PreviewChange>[]])[] {
  const groupOf = ({ item: { action, result } }: Placed<PreviewChange>): ChangeGroup =>
    action === 'Activate' ? (result ?? 'ActivatePlanned') : sent ? 'DeactivateLeft' : 'DeactivatePlanned';
  const all = scopes.flatMap((scope) => scope.changes.map((item) => ({ scope, item })));
  const groups = Map.groupBy(all, groupOf);
  return (Object.keys(changeGroups) as ChangeGroup[]).flatMap((group) => {
    const found = groups.get(group);
    return found ? [[group, found] as const] : [];
  });
}

function notesIn({ scopes }: Preview, kind: NoteKind): readonly Placed<PreviewNote>[] {
  return scopes.flatMap((scope) => scope.notes.filter((note) => note.kind === kind).map((item) => ({ scope, item })));
}

export function previewText(preview: Preview): string {
  const changes = changesIn(preview).map(([group, found]) => textSection(changeGroups[group], found, changeLines));
  const notes = (Object.keys(noteHeadings) as NoteKind[]).flatMap((kind) => {
    const found = notesIn(preview, kind);
    return found.length === 0 ? [] : [textSection(noteHeadings[kind], found, noteLines)];
  });
  const memory = memorySentence(preview);
  const end = [previewSummary(preview), ...(memory === undefined ? [] : [memory])].map((line) => `${line}\n`);
  return [...changes, ...notes, end.join('')].join('\n');
}

function textSection<T>(heading: string, found: readonly Placed<T>[], linesOf: (each: Placed<T>) => readonly string[]) {
  const lines = [`${heading} (${found.length})`, ...found.flatMap(linesOf)];
  return lines.map((line) => `${line}\n`).join('');
}

function changeLines({ scope, item }: Placed<PreviewChange>): readonly string[] {
  const { alert, action, because, dismissal, policy, error } = item;
  const connection = connectionName('connection', scope.connection);
  return [
    `  ${action === 'Activate' ? '+' : '!'} ${alert} of ${scope.scope}`,
    ...(dismissal ? [`      reason: ${dismissal.reason}`, `      bound:  ${dismissal.bound}`] : []),
    `      cause:  ${because}; ${liveSentence(item)}`,
    `      by:     ${policy === undefined ? '' : `policy ${policy}, `}${connection}`,
    ...(error === undefined ? [] : [`      error:  ${error}`]),
  ];
}

function noteLines({ scope, item }: Placed<PreviewNote>): readonly string[] {
  return [`  ${sourceOf(scope, item)}, ${scope.scope}: ${item.reason}`, `      ${noteSentence(item)}`];
}

/** The shape is a contract: within a version members may be added, never renamed or removed. Members without a value are absent. */
export function previewJson(preview: Preview): string {
  return indentedJson({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'PlanReport',
    at: formatTimestamp(preview.nowMs),
    memory: preview.memory,
    namespace: preview.namespace,
    totals: totalsOfPreview(preview),
    scopes: preview.scopes.map(scopeData),
  });
}

function scopeData({ connection, scope, policies, changes, notes }: ScopePreview): object {
  return { connection, scope, policies, changes: changes.map(changeData), notes: notes.map(noteData) };
}

function changeData(change: PreviewChange): object {
  const { alert, action, policy, cause, because, actor, severity, incidents, dismissal, result, error } = change;
  return { alert, action, policy, cause, because, actor, severity, incidents, dismissal, result, error };
}

function noteData({ kind, alert, policy, reason, message, untilMs }: PreviewNote): object {
  return { kind, alert, policy, reason, message, until: untilMs === undefined ? undefined : formatTimestamp(untilMs) };
}

export function previewMarkdown(preview: Preview): string {
  const memory = memorySentence(preview);
  const sections = [
    '### rolealerts plan',
    plainMarkdown(previewSummary(preview)),
    ...noteTable('Failed', preview),
    ...changesIn(preview).map(changeTable),
    ...(['Held', 'NotApplied', 'InForce'] as const).flatMap((kind) => noteTable(kind, preview)),
    ...(memory === undefined ? [] : [plainMarkdown(memory)]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function changeTable([group, found]: readonly [ChangeGroup, readonly Placed<PreviewChange>[]]): string {
  const isDeactivation = group.startsWith('Deactivate');
  const rows = found.map(({ scope, item }) => [
    item.alert,
    scope.scope,
    ...(isDeactivation ? [item.dismissal?.reason ?? '', item.dismissal?.bound ?? ''] : []),
    [`${item.because}; ${liveSentence(item)}`, ...(item.error === undefined ? [] : [item.error])].join('; '),
    item.policy ?? connectionName('connection', scope.connection),
  ]);
  const head = ['alert', 'scope', ...(isDeactivation ? ['reason', 'bound'] : []), 'cause', 'by'];
  const warning = isDeactivation || group === 'NotVerified' || group === 'Failed' ? ':warning: ' : '';
  return `#### ${warning}${changeGroups[group]} (${rows.length})\n\n${markdownTable(head, rows)}`;
}

function noteTable(kind: NoteKind, preview: Preview): readonly string[] {
  const rows = notesIn(preview, kind).map(({ scope, item }) => [
    item.policy ?? connectionName('connection', scope.connection),
    scope.scope,
    item.reason,
    noteSentence(item),
  ]);
  if (rows.length === 0) return [];
  const head = ['object', 'scope', 'reason', 'message'];
  return [`#### ${noteHeadings[kind]} (${rows.length})\n\n${markdownTable(head, rows)}`];
}
