// The history of a policy as a list, which a phone shows without scrolling to the side.
import { markup, type Markup } from './markup.ts';
import type { HistoryEntry } from './policy-history.ts';
import { timeText } from './time-text.ts';

/** `nowMs`: milliseconds since 1970. */
export function historyList(entries: readonly HistoryEntry[], nowMs: number): Markup {
  if (entries.length === 0) return markup`<p>The operator has not decided this policy yet.</p>\n`;
  return markup`<ol class="history">
${entries.map((entry) => historyItem(entry, nowMs))}</ol>
`;
}

function historyItem({ at, kind, reason, text }: HistoryEntry, nowMs: number): Markup {
  return markup`<li>${timeText(at, nowMs)} <span class="quiet">${kind}</span> <b>${reason}</b> ${text}</li>\n`;
}
