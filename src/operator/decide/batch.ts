// Which actions of a plan are sent next, one after the other, before a list verifies them.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Action } from './decisions.ts';
import type { ActionCause, SentWrite } from './memory.ts';

/** An edit waits for at most so many. */
const mostActivations = 16;

/**
 * Ends of dismissals first, and of each kind of activation those with the fewest tries. Without activations one
 * deactivation, because each needs a fresh list.
 */
export function nextBatch(actions: readonly Action[], sent: ReadonlyMap<string, SentWrite>): Action[] {
  const triesOf = ({ alert }: Action) => sent.get(canonicalName(alert))?.tries ?? 0;
  const sorted = [...actions].sort((a, b) => rank(a) - rank(b) || triesOf(a) - triesOf(b));
  const activations = sorted.filter(({ isActive }) => isActive);
  return activations.length > 0 ? activations.slice(0, mostActivations) : sorted.slice(0, 1);
}

/** True for an activation at the end of a dismissal, which takes priority over corrections of drift. */
export function endsDismissal({ isActive, cause }: Action): boolean {
  return isActive && endings.has(cause);
}

const endings: ReadonlySet<ActionCause> = new Set(['DismissalExpired', 'NewIncidents', 'DeclarationGone']);

function rank(action: Action): number {
  return endsDismissal(action) ? 0 : 1;
}
