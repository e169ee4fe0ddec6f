// The history of a policy as a list, which a phone shows without scrolling to the side.
import { markup, type Markup } from './markup.ts';
import type { HistoryEntry } from './policy-history.ts';

export function historyList(entries: readonly HistoryEntry[]): Markup {
  if (entries.length === 0) return markup`<p>The operator has not decided this policy yet.</p>\n`;
  return markup`<ol class="history">
${entries.map(historyItem)}</ol>
`;
}

function historyItem({ at, kind, reason, text }: HistoryEntry): Markup {
  return markup`<li><time datetime="${at}">${at}</time> <span class="quiet">${kind}</span> <b>${reason}</b> ${text}</li>\n`;
}
