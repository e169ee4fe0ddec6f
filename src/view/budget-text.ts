// The budgets of connections as text for a terminal or a pipe.
import { alignColumns, cutLine } from '../lib/columns.ts';
import { formatShortDuration } from '../lib/duration.ts';
import { wrapText } from '../lib/wrap.ts';
import { firstRoundText, type RequestLimits } from '../plan/capacity.ts';
import { connectionName } from '../plan/message-facts.ts';
import type { BudgetNeed, ConnectionBudget } from './budget.ts';

/** `columns`: the width of a terminal; 0 for a pipe, whose lines have any length. */
export function budgetText(budgets: readonly ConnectionBudget[], columns: number): string {
  if (budgets.length === 0) return 'No connections found.\n';
  return budgets.map((each) => sectionOf(each, columns)).join('\n');
}

const head = ['', 'SCOPES', 'INTERVAL', 'REQUESTS/H', 'OF LIMIT', 'RESTART', 'CAPACITY'];

function sectionOf({ connection, limits, now, changed, reported }: ConnectionBudget, columns: number): string {
  const { requestsPerHour, burst } = limits;
  const title = `${connectionName('connection', connection)}: ${requestsPerHour} requests an hour, burst ${burst}`;
  const rows = [head, rowOf('now', now, limits), ...(changed ? [rowOf('then', changed, limits)] : [])];
  const lines = alignColumns(rows).map((line) => `  ${line}`.trimEnd());
  const fit = columns === 0 ? (text: string) => [text] : (text: string) => wrapText(text, columns, '  ');
  const table = columns === 0 ? lines : lines.map((line) => cutLine(line, columns));
  const sentences = [`  ${limitsOf(changed ?? now)}`, ...reportedLines(reported)];
  return `${[...fit(title), ...table, ...sentences.flatMap(fit)].join('\n')}\n`;
}

function reportedLines(reported: number | undefined): readonly string[] {
  if (reported === undefined) return [];
  return [
    `  The operator reports ${reported} requests an hour now: its lists have several pages (--pages), its --interval is another one (--default-interval), or not all of its policies were read.`,
  ];
}

function rowOf(label: string, need: BudgetNeed, limits: RequestLimits): readonly string[] {
  return [
    label,
    `${need.scopes}`,
    intervalsOf(need),
    `${need.requestsPerHour}`,
    `${Math.ceil((need.requestsPerHour / limits.requestsPerHour) * 100)}%`,
    restartOf(need, limits),
    need.isSufficient ? 'sufficient' : 'too small',
  ];
}

function intervalsOf({ loads, room }: BudgetNeed): string {
  const [shortest, longest] = [loads[0], loads.at(-1)].map((load) =>
    formatShortDuration(load?.intervalMs ?? room.intervalMs),
  );
  return shortest === longest ? `${shortest}` : `${shortest} to ${longest}`;
}

function restartOf({ restart: { requests } }: BudgetNeed, limits: RequestLimits): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'}, ${firstRoundText(requests, limits)}`;
}

function limitsOf({ scopes, room, shortestMs, isSufficient }: BudgetNeed): string {
  const interval = formatShortDuration(room.intervalMs);
  const shortest =
    shortestMs === undefined
      ? 'no interval up to 24h suffices'
      : `at ${formatShortDuration(shortestMs)} or longer they fit`;
  if (!isSufficient)
    return `The limit does not suffice for ${countedScopes(scopes)}: ${shortest}, or raise limits.requestsPerHour.`;
  const further = `The limit suffices for ${countedScopes(scopes + room.scopes)} at ${interval}`;
  return scopes === 0 || shortestMs === undefined
    ? `${further}.`
    : `${further}, or for ${countedScopes(scopes)} at ${formatShortDuration(shortestMs)}.`;
}

const countedScopes = (count: number) => `${count} ${count === 1 ? 'scope' : 'scopes'}`;
