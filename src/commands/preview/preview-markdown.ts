// A preview as Markdown, for the comment of a pull request.
import { cleanText } from '../../lib/clean-text.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { liveSentence, memorySentence, previewSummary, untilSentence } from './preview-text.ts';
import { type NoteKind, type Preview, type PreviewChange, type ScopePreview } from './preview.ts';

/** The longest text of a cell, in UTF-16 units. */
const textLength = 4096;

const noteHeadings: Readonly<Record<NoteKind, string>> = {
  Failed: 'Not known',
  Held: 'Waiting',
  NotApplied: 'Not applied',
  InForce: 'Stays as it is',
};

export function previewMarkdown(preview: Preview): string {
  const { scopes } = preview;
  const sections = [
    '### rolealerts plan',
    plain(previewSummary(preview)),
    ...noteSection('Failed', scopes),
    ...deactivationSection(scopes),
    ...activationSection(scopes),
    ...noteSection('Held', scopes),
    ...noteSection('NotApplied', scopes),
    ...noteSection('InForce', scopes),
    ...[memorySentence(preview)].filter((text) => text !== '').map((text) => plain(text.trimEnd())),
  ];
  return `${sections.join('\n\n')}\n`;
}

function deactivationSection(scopes: readonly ScopePreview[]): readonly string[] {
  const rows = changesOf(scopes, 'Deactivate').map(({ scope, change }) => [
    plain(change.alert),
    plain(scope.scope),
    plain(change.dismissal?.reason ?? ''),
    plain(change.dismissal?.bound ?? ''),
    plain(`${change.because}; ${liveSentence(change)}`),
    plain(sourceOf(scope, change)),
  ]);
  if (rows.length === 0) return [];
  const heading = `#### :warning: ${rows.length} ${rows.length === 1 ? 'alert' : 'alerts'} would become inactive`;
  return [heading, table(['alert', 'scope', 'reason', 'bound', 'cause', 'by'], rows)];
}

function activationSection(scopes: readonly ScopePreview[]): readonly string[] {
  const rows = changesOf(scopes, 'Activate').map(({ scope, change }) => [
    plain(change.alert),
    plain(scope.scope),
    plain(`${change.because}; ${liveSentence(change)}`),
    plain(sourceOf(scope, change)),
  ]);
  if (rows.length === 0) return [];
  return [`#### Activations (${rows.length})`, table(['alert', 'scope', 'cause', 'by'], rows)];
}

function noteSection(kind: NoteKind, scopes: readonly ScopePreview[]): readonly string[] {
  const rows = scopes.flatMap(({ scope, connection, notes }) =>
    notes
      .filter((note) => note.kind === kind)
      .map((note) => [
        plain(note.policy ?? connectionName('connection', connection)),
        plain(scope),
        plain(note.reason),
        plain(`${note.message}${untilSentence(note)}`),
      ]),
  );
  if (rows.length === 0) return [];
  return [`#### ${noteHeadings[kind]} (${rows.length})`, table(['object', 'scope', 'reason', 'message'], rows)];
}

interface PlacedChange {
  readonly scope: ScopePreview;
  readonly change: PreviewChange;
}

function changesOf(scopes: readonly ScopePreview[], action: PreviewChange['action']): readonly PlacedChange[] {
  return scopes.flatMap((scope) =>
    scope.changes.filter((change) => change.action === action).map((change) => ({ scope, change })),
  );
}

function sourceOf({ connection }: ScopePreview, { policy }: PreviewChange): string {
  return policy ?? connectionName('connection', connection);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text as it is, on one line: nothing in it is markup, a mention or a link. `www.` begins a link as well, and `GH-1` is an issue. */
function plain(text: string): string {
  const escaped = cleanText(text, textLength).replaceAll(/[\\`*_{}[\]<>()#+!|~$^%]/g, (mark) => `\\${mark}`);
  return escaped
    .replaceAll('@', '@\u200b')
    .replaceAll('&', '&amp;')
    .replaceAll('://', ':\u200b//')
    .replaceAll(/www(?=\.)|GH(?=-\d)/gi, '$&\u200b');
}
