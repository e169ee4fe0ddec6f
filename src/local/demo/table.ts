// Renders the live table as text: a row for each sample with kubectl's columns, its purpose and its last event. A narrow
// terminal shows the last two in a second line if it is high enough.
import { alignColumns, cutLine } from '../../lib/columns.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { conditionText } from './compare.ts';
import type { Sample } from './sample.ts';
import { renderShort, type TimeFormat, type TimelineEntry } from './timeline.ts';

/** The data of one row. */
export interface TableRow {
  readonly sample: Sample;
  readonly policy: RoleAlertPolicy | undefined;
  /** The newest event; undefined when there is none. */
  readonly last: TimelineEntry | undefined;
}

export interface TableRoom {
  readonly columns: number;
  /** The height of the terminal, of which the table takes a part. */
  readonly rows: number;
}

const wideColumns = 120;
/** From this height on there is room for two lines a sample. */
const highRows = 32;
const gap = '  ';

/** Lines of at most `columns` characters. */
export function renderTable(rows: readonly TableRow[], room: TableRoom, timeOf: TimeFormat): readonly string[] {
  if (room.columns >= wideColumns) return renderWide(rows, room.columns, timeOf);
  return renderNarrow(rows, room, timeOf);
}

function renderWide(rows: readonly TableRow[], columns: number, timeOf: TimeFormat): readonly string[] {
  const cells = rows.map((row) => {
    const [name = '', ...state] = stateCells(row);
    return [name, row.sample.shows, ...state, lastText(row, timeOf)];
  });
  const [name = '', ...state] = head;
  return alignColumns([[name, 'SHOWS', ...state, 'LAST'], ...cells], gap).map((line) => cutLine(line, columns));
}

function renderNarrow(rows: readonly TableRow[], room: TableRoom, timeOf: TimeFormat): readonly string[] {
  const [title = '', ...states] = alignColumns([head, ...rows.map(stateCells)], gap);
  const details = rows.map((row) => `  ${row.sample.shows}: ${lastText(row, timeOf)}`);
  const withDetails = () => states.flatMap((state, index) => [state, details[index] ?? '']);
  const lines = room.rows < highRows ? states : withDetails();
  return [title, ...lines].map((line) => cutLine(line, room.columns));
}

/** The columns of `kubectl get`. */
const head = ['NAME', 'READY', 'REASON', 'IN-SYNC', 'INCIDENTS'];

function stateCells({ sample, policy }: TableRow): readonly string[] {
  const [ready = '', reason = ''] = (conditionText(policy, 'Ready') ?? '/').split('/');
  const { inSyncText = '', incidents = '' } = policy?.status?.summary ?? {};
  return [sample.name, ready, reason, inSyncText, String(incidents)];
}

/** Ready before the first status: the default of the schema. */
const pendingText = 'Unknown/Pending';

function lastText({ policy, last }: TableRow, timeOf: TimeFormat): string {
  if (last) return renderShort(last, timeOf);
  if ((conditionText(policy, 'Ready') ?? pendingText) === pendingText) return 'waiting for its first reconcile';
  return policy?.status?.summary?.missing ? 'not listed by service' : '-';
}
