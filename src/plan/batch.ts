// Which actions of a plan one reconcile sends. A plan of four hundred actions would hold the connection's budget for minutes, so
// a reconcile sends a few and its work item goes to the back of the queue.
import { canonicalName } from '../alerts/resource-id.ts';
import type { ActionCause, SentWrite } from './memory.ts';
import type { Action } from './types.ts';

const longestBatch = 16;
/** One place in four is for deactivations, where the plan has some. */
const deactivationShare = 4;

export interface BatchFacts {
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** From 1. */
  readonly limit: number;
  /** How many batches of this scope went before, so that a batch of one also serves a deactivation at times. */
  readonly round: number;
}

/**
 * How many actions a reconcile sends: at most half of the burst goes to it, lists of `pages` requests included. What goes before others
 * takes half of that: an edit and the end of a dismissal must not keep the next one waiting. At least as many as the list has pages,
 * so that the lists do not cost more than the PATCHes.
 */
export function batchLimit(burst: number, pages: number, isUrgent: boolean): number {
  const share = Math.floor(burst / (isUrgent ? 4 : 2)) - 2 * pages;
  return Math.min(longestBatch, Math.max(share, pages, 1));
}

/**
 * Activations first. Of each direction those that were tried the least, and of these the ends of dismissals first. Half of the places
 * are for ends of dismissals however often they were tried: one that failed waits for no big plan, and holds up none.
 */
export function nextBatch(actions: readonly Action[], { sent, limit, round }: BatchFacts): Action[] {
  const urgent = [...actions].sort((a, b) => triesOf(sent, a) - triesOf(sent, b) || rank(a) - rank(b));
  const activations = urgent.filter(({ isActive }) => isActive);
  const deactivations = urgent.filter(({ isActive }) => !isActive);
  const places = Math.max(limit - activations.length, Math.min(deactivations.length, shareOf(limit, round)));
  return [...withEnds(activations, limit - places, round), ...deactivations.slice(0, places)];
}

/** The first of them, where at least half of the places are for ends of dismissals. */
function withEnds(activations: readonly Action[], limit: number, round: number): Action[] {
  const half = limit === 1 ? round % 2 : Math.floor(limit / 2);
  const chosen = new Set(activations.filter(endsDismissal).slice(0, half));
  for (const action of activations) if (chosen.size < limit) chosen.add(action);
  return activations.filter((action) => chosen.has(action));
}

/** Nothing stays inactive without a dismissal that holds: such an action waits for no drift. */
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
