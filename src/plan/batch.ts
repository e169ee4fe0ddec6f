// Selects the actions that one reconcile sends. A plan of four hundred actions would occupy the connection's rate
// limiter for minutes, so a reconcile sends one batch, and its work item goes to the back of the work queue.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Action } from './decisions.ts';
import type { ActionCause, SentWrite } from './memory.ts';

const longestBatch = 16;
/** At least one place in four is for deactivations, if the plan has any. */
const deactivationShare = 4;

export interface BatchFacts {
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Maximum number of actions, at least 1. */
  readonly limit: number;
  /** Number of earlier batches of this scope. Batches of one action use it to alternate between the kinds of action. */
  readonly round: number;
}

/**
 * Maximum number of actions in a batch. A reconcile spends at most half of the burst, including its two lists of
 * `pages` requests. An urgent reconcile (an edit, or the end of a dismissal) spends at most a quarter, because it
 * overtakes others and the next urgent one must not wait. A batch has at least as many actions as the list has pages;
 * otherwise a scope with many pages would spend its requests on lists.
 */
export function batchLimit(burst: number, pages: number, isUrgent: boolean): number {
  const share = Math.floor(burst / (isUrgent ? 4 : 2)) - 2 * pages;
  return Math.min(longestBatch, Math.max(share, pages, 1));
}

/**
 * Activations come before deactivations. Within each direction, actions with fewer tries come first, then ends of
 * dismissals. Half of the batch is reserved for ends of dismissals whatever their tries: a failed one does not wait for
 * the rest of a large plan, and does not delay it.
 */
export function nextBatch(actions: readonly Action[], { sent, limit, round }: BatchFacts): Action[] {
  const sorted = [...actions].sort((a, b) => triesOf(sent, a) - triesOf(sent, b) || rank(a) - rank(b));
  const activations = sorted.filter(({ isActive }) => isActive);
  const deactivations = sorted.filter(({ isActive }) => !isActive);
  const places = Math.max(limit - activations.length, Math.min(deactivations.length, shareOf(limit, round)));
  return [...withEnds(activations, limit - places, round), ...deactivations.slice(0, places)];
}

/** The first `limit` activations, with up to half of the batch reserved for ends of dismissals. */
function withEnds(activations: readonly Action[], limit: number, round: number): Action[] {
  const half = limit === 1 ? round % 2 : Math.floor(limit / 2);
  const chosen = new Set(activations.filter(endsDismissal).slice(0, half));
  for (const action of activations) if (chosen.size < limit) chosen.add(action);
  return activations.filter((action) => chosen.has(action));
}

/** True for an activation at the end of a dismissal, which takes priority over corrections of drift. */
export function endsDismissal({ isActive, cause }: Action): boolean {
  return isActive && endings.has(cause);
}

const endings: ReadonlySet<ActionCause> = new Set(['DismissalExpired', 'NewIncidents', 'DeclarationGone']);

function shareOf(limit: number, round: number): number {
  const share = Math.floor(limit / deactivationShare);
  return share === 0 && round % deactivationShare === deactivationShare - 1 ? 1 : share;
}

function rank(action: Action): number {
  return endsDismissal(action) ? 0 : 1;
}

function triesOf(sent: ReadonlyMap<string, SentWrite>, { alert }: Action): number {
  return sent.get(canonicalName(alert))?.tries ?? 0;
}
