// A trace as a tree for a terminal or a pipe, drawn as kubectl plugins draw them, and as JSON.
import { cleanText } from '../../lib/clean-text.ts';
import { cutLine } from '../../lib/terminal-text.ts';
import type { Blocker, PolicyTrace, TraceStep } from './trace.ts';

/** Steps of one parent beyond this number are counted. */
const shownOfParent = 20;

const marks: Readonly<Record<TraceStep['state'], string>> = { Ok: '', Blocked: '✗ ', Unknown: '? ' };

/** `columns`: the width of a terminal; 0 for a pipe, whose lines are never cut. Notes of events are texts of other programs. */
export function traceText({ root, blocker }: PolicyTrace, columns: number): string {
  const lines = linesOf(root, '', '').map((line) => (columns === 0 ? line : cutLine(line, columns)));
  return `${lines.join('\n')}\n\n${blockerText(blocker)}`;
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function traceJson({ root, blocker }: PolicyTrace): object {
  return { apiVersion: 'cli.rolealerts.dev/v1', kind: 'PolicyTrace', root, blocker: blocker ?? null };
}

function linesOf({ name, state, text, children }: TraceStep, first: string, others: string): readonly string[] {
  const shown = children.slice(0, shownOfParent);
  const more = children.length - shown.length;
  const rest = more > 0 ? [`${others}└─ … and ${more} more; --output json has all`] : [];
  const below = shown.flatMap((child, index) => {
    const isLast = index === shown.length - 1 && more === 0;
    return linesOf(child, `${others}${isLast ? '└─ ' : '├─ '}`, `${others}${isLast ? '   ' : '│  '}`);
  });
  return [`${first}${marks[state]}${cleanText(name, 600)}: ${cleanText(text, 1200)}`, ...below, ...rest];
}

function blockerText(blocker: Blocker | undefined): string {
  if (!blocker) return 'Nothing blocks the policy.\n';
  const { reason, message, command } = blocker;
  return `Blocked by ${cleanText(reason)}: ${cleanText(message, 4096)}\n\n  ${cleanText(command, 1200)}\n`;
}
