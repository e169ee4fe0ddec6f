// The way from a policy to its alerts as a tree of lists. Alerts, corrections and events have their own sections.
import type { Blocker, PolicyTrace, TraceStep } from '../checks/trace.ts';
import { pageSection } from './fleet-sections.ts';
import { markup, type Markup } from './markup.ts';

export function traceSection({ root, blocker }: PolicyTrace): Markup {
  return pageSection('trace', 'Trace', markup`${blockerText(blocker)}<ul class="tree">${traceItem(root)}</ul>\n`);
}

const states: Readonly<Record<TraceStep['state'], string>> = { Ok: 'ok', Blocked: 'blocked', Unknown: 'not known' };
const elsewhere: ReadonlySet<TraceStep['kind']> = new Set(['Alert', 'Writes', 'Events']);

function traceItem({ name, state, text, children }: TraceStep): Markup {
  const below = children.filter(({ kind }) => !elsewhere.has(kind)).map(traceItem);
  const list = below.length === 0 ? undefined : markup`<ul class="tree">${below}</ul>`;
  return markup`<li>${name} <b>${states[state]}</b> ${text}${list}</li>\n`;
}

function blockerText(blocker: Blocker | undefined): Markup {
  if (!blocker) return markup`<p>Nothing blocks the policy.</p>\n`;
  const { reason, message, command } = blocker;
  return markup`<p>Blocked by <b>${reason}</b>: ${message}</p>\n<p>Run: <code>${command}</code></p>\n`;
}
