// Which actions of a plan are sent next, one after the other, before a list verifies them.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Action } from './decisions.ts';
import type { ActionCause, PendingWrite } from './memory.ts';

/** An edit waits for at most so many. */
const mostActivations = 16;

/**
 * Ends of dismissals first, and of each kind of activation those with the fewest tries. Without activations one
 * deactivation, because each needs a fresh list: the one whose last is the longest ago, or an alert that others activate again and
 * again would delay the others for good. `deactivated`: when, by `canonicalName`, the oldest first.
 */
export function nextBatch(
  actions: readonly Action[],
  sent: ReadonlyMap<string, PendingWrite>,
  deactivated: ReadonlyMap<string, readonly number[]>,
): Action[] {
  const triesOf = ({ alert }: Action) => sent.get(canonicalName(alert))?.tries ?? 0;
  const lastOf = ({ alert }: Action) => deactivated.get(canonicalName(alert))?.at(-1) ?? 0;
  const activations = actions.filter(({ isActive }) => isActive);
  if (activations.length === 0) return [...actions].sort((a, b) => lastOf(a) - lastOf(b)).slice(0, 1);
  return activations.sort((a, b) => rank(a) - rank(b) || triesOf(a) - triesOf(b)).slice(0, mostActivations);
}

/** True for an activation at the end of a dismissal, which takes priority over corrections of drift. */
export function endsDismissal({ isActive, cause }: Action): boolean {
  return isActive && endings.has(cause);
}

const endings: ReadonlySet<ActionCause> = new Set(['DismissalExpired', 'NewIncidents', 'DeclarationGone']);

function rank(action: Action): number {
  return endsDismissal(action) ? 0 : 1;
}
