// The budgets of connections as text for a terminal or a pipe: the sentence of the condition Capacity, now and after a change.
import { formatShortDuration } from '../../lib/duration.ts';
import { wrapText } from '../../lib/wrap.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { conditionMessage } from '../../operator/reasons/reasons.ts';
import type { BudgetNeed, ConnectionBudget } from './budget.ts';

/** `columns`: the width of a terminal; 0 for a pipe, whose lines have any length. */
export function budgetText(budgets: readonly ConnectionBudget[], columns: number): string {
  if (budgets.length === 0) return 'No connections found.\n';
  const lines = budgets.flatMap(linesOf);
  return lines.flatMap((line) => (columns === 0 ? line : wrapText(line, columns, '    '))).join('\n') + '\n';
}

function linesOf({ connection, now, changed, reported }: ConnectionBudget): readonly string[] {
  return [
    connectionName('connection', connection),
    `  now: ${sentenceOf(connection, now)}`,
    ...(changed ? [`  then: ${sentenceOf(connection, changed)}`] : []),
    ...(reported === undefined
      ? []
      : [
          `  The operator reports ${reported} requests an hour now: its lists have several pages (--pages), its --interval is another one (--default-interval), or not all of its policies were read.`,
        ]),
  ];
}

function sentenceOf(connection: string, { scopes, loads, capacity }: BudgetNeed): string {
  const intervals = [loads[0], loads.at(-1)].flatMap((load) => (load ? formatShortDuration(load.intervalMs) : []));
  const at = intervals.length === 0 ? '' : ` at ${[...new Set(intervals)].join(' to ')}`;
  const message = conditionMessage(capacity.reason, { ...capacity.facts, connection });
  return `${scopes} ${scopes === 1 ? 'scope' : 'scopes'}${at}. ${message}`;
}
