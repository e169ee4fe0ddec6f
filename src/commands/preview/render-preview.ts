// A preview as text, as JSON for scripts, and as Markdown for the comment of a pull request: deactivations first and apart, then activations,
// what would fail, what waits, what is not applied, and what is not known. Markdown begins with what fails the preview.
import { indentedJson } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { markdownTable, plainMarkdown } from '../report/markdown.ts';
import {
  liveSentence,
  memoryNotes,
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
  NotReady: 'NOT READY: these policies would fail',
  Held: 'Waiting',
  NotApplied: 'Not applied',
  InForce: 'Stays as it is',
  Failed: 'NOT KNOWN',
};

interface Placed<T> {
  readonly scope: ScopePreview;
  readonly item: T;
}

interface Group<Kind, T> {
  readonly kind: Kind;
  readonly heading: string;
  readonly found: readonly Placed<T>[];
}

const changesIn = (preview: Preview) =>
  groupsIn(
    preview,
    changeGroups,
    ({ changes }) => changes,
    ({ action, result }): ChangeGroup => {
      if (action === 'Activate') return result ?? 'ActivatePlanned';
      return preview.sent ? 'DeactivateLeft' : 'DeactivatePlanned';
    },
  );

const notesIn = (preview: Preview) =>
  groupsIn(
    preview,
    noteHeadings,
    ({ notes }) => notes,
    ({ kind }) => kind,
  );

/** In the order of `headings`, without empty ones. */
function groupsIn<Kind extends string, T>(
  { scopes }: Preview,
  headings: Readonly<Record<Kind, string>>,
  itemsOf: (scope: ScopePreview) => readonly T[],
  kindOf: (item: T) => Kind,
): readonly Group<Kind, T>[] {
  const placed = scopes.flatMap((scope) => itemsOf(scope).map((item) => ({ scope, item })));
  const groups = Map.groupBy(placed, ({ item }) => kindOf(item));
  return (Object.keys(headings) as Kind[]).flatMap((kind) => {
    const found = groups.get(kind);
    return found ? [{ kind, heading: `${headings[kind]} (${found.length})`, found }] : [];
  });
}

export function previewText(preview: Preview): string {
  const sections = [
    ...changesIn(preview).map((group) => textSection(group, changeLines)),
    ...notesIn(preview).map((group) => textSection(group, noteLines)),
    linesOf([previewSummary(preview), ...memoryNotes(preview)]),
  ];
  return sections.join('\n');
}

function textSection<T>({ heading, found }: Group<string, T>, textsOf: (each: Placed<T>) => readonly string[]): string {
  return linesOf([heading, ...found.flatMap(textsOf)]);
}

const linesOf = (texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');

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

export function previewJson(preview: Preview): string {
  return indentedJson({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'PlanReport',
    at: formatTimestamp(preview.nowMs),
    memory: preview.memory,
    namespace: preview.namespace,
    totals: totalsOfPreview(preview),
    scopes: preview.scopes,
  });
}

export function previewMarkdown(preview: Preview): string {
  const notes = notesIn(preview);
  const sections = [
    '### rolealerts plan',
    plainMarkdown(previewSummary(preview)),
    ...notes.filter(isFailing).map(noteTable),
    ...changesIn(preview).map(changeTable),
    ...notes.filter((group) => !isFailing(group)).map(noteTable),
    ...memoryNotes(preview).map(plainMarkdown),
  ];
  return `${sections.join('\n\n')}\n`;
}

function changeTable({ kind, heading, found }: Group<ChangeGroup, PreviewChange>): string {
  const isDeactivation = kind.startsWith('Deactivate');
  const rows = found.map(({ scope, item }) => [
    item.alert,
    scope.scope,
    ...(isDeactivation ? [item.dismissal?.reason ?? '', item.dismissal?.bound ?? ''] : []),
    [`${item.because}; ${liveSentence(item)}`, ...(item.error === undefined ? [] : [item.error])].join('; '),
    item.policy ?? connectionName('connection', scope.connection),
  ]);
  const head = ['alert', 'scope', ...(isDeactivation ? ['reason', 'bound'] : []), 'cause', 'by'];
  const warning = isDeactivation || kind === 'NotVerified' || kind === 'Failed' ? ':warning: ' : '';
  return `#### ${warning}${heading}\n\n${markdownTable(head, rows)}`;
}

const isFailing = ({ kind }: { readonly kind: NoteKind }) => kind === 'Failed' || kind === 'NotReady';

function noteTable({ kind, heading, found }: Group<NoteKind, PreviewNote>): string {
  const rows = found.map(({ scope, item }) => [
    item.policy ?? connectionName('connection', scope.connection),
    scope.scope,
    item.reason,
    noteSentence(item),
  ]);
  const warning = kind === 'NotReady' ? ':warning: ' : '';
  return `#### ${warning}${heading}\n\n${markdownTable(['object', 'scope', 'reason', 'message'], rows)}`;
}
