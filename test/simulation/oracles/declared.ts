// The declarations for an alert, read from the objects themselves: written from the specification, deliberately without the
// operator's own code.
import type { ShownAlert } from '../alerts/sim-service.ts';
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';

export type Say = 'Active' | 'Inactive' | 'None';

export interface Declaration {
  readonly say: Say;
  readonly isExplicit: boolean;
  /** When the declaration changes without an edit; undefined for never. */
  readonly untilMs: number | undefined;
}

const ranks: Readonly<Record<string, number>> = { Low: 1, Medium: 2, High: 3 };

/** What a policy says of an alert at a moment, whatever its mode. `connection` decides what may be dismissed. */
export function declarationOf(
  policy: StoredObject,
  connection: StoredObject | undefined,
  shown: ShownAlert,
  nowMs: number,
): Declaration {
  const spec = policy.spec ?? {};
  const line = lineOf(policy, shown.name);
  if (!line) return { say: unlistedSay(spec, shown), isExplicit: false, untilMs: undefined };
  if (line['state'] === 'Active') return { say: 'Active', isExplicit: true, untilMs: undefined };
  const dismissal = (line['dismissal'] ?? {}) as Json;
  const untilMs = typeof dismissal['until'] === 'string' ? Date.parse(dismissal['until']) : undefined;
  if (!holds(dismissal, untilMs, shown, nowMs)) return { say: 'Active', isExplicit: true, untilMs };
  // A dismissal that is not granted declares nothing.
  const say = isWhole(dismissal, untilMs) && isAllowed(dismissal, untilMs, connection, nowMs) ? 'Inactive' : 'None';
  return { say, isExplicit: true, untilMs };
}

/** What the policy lists of that alert, however either spells it. */
export function lineOf({ spec = {} }: StoredObject, alert: string): Json | undefined {
  const lines = (spec['alerts'] ?? []) as readonly Json[];
  return lines.find(({ name }) => String(name).toLowerCase() === alert.toLowerCase());
}

function unlistedSay(spec: Json, { severity }: ShownAlert): Say {
  const unlisted = (spec['unlisted'] ?? {}) as Json;
  if (unlisted['state'] !== 'Active') return 'None';
  const least = ranks[String(unlisted['minSeverity'])] ?? 1;
  return (ranks[severity] ?? 3) >= least ? 'Active' : 'None';
}

function holds(dismissal: Json, untilMs: number | undefined, shown: ShownAlert, nowMs: number): boolean {
  if (untilMs !== undefined && nowMs >= untilMs) return false;
  const count = Math.max(shown.incidentCount, shown.incidents.length);
  const { incidents, maxIncidents } = dismissal;
  if (Array.isArray(incidents)) {
    const covered = new Set(incidents.map((id) => String(id).toLowerCase()));
    return shown.incidents.length >= count && shown.incidents.every((id) => covered.has(id));
  }
  return typeof maxIncidents !== 'number' || count <= maxIncidents;
}

/** False for dismissals without a bound or a reason, which an older schema accepted and which are never granted. */
function isWhole(dismissal: Json, untilMs: number | undefined): boolean {
  const reason = textOf(dismissal['reason']).replaceAll(/\s/g, '');
  return reason.length >= 8 && (dismissal['incidents'] !== undefined || untilMs !== undefined);
}

/** The connection allows it, and the end is not too far unless the incidents are named and suffice. */
function isAllowed(
  dismissal: Json,
  untilMs: number | undefined,
  connection: StoredObject | undefined,
  nowMs: number,
): boolean {
  const spec = connection?.spec ?? {};
  if (spec['deactivation'] !== 'Allow' || connection?.metadata.deletionTimestamp !== undefined) return false;
  const limits = (spec['limits'] ?? {}) as Json;
  if (limits['dismissalsNeedEnd'] !== true && (dismissal['incidents'] !== undefined || untilMs === undefined))
    return true;
  if (untilMs === undefined) return false;
  const hours = Number.parseInt(textOf(limits['maxDismissal'], '720h'), 10);
  return untilMs <= nowMs + hours * 3_600_000;
}

export function competesForOwnership(policy: StoredObject, nowMs: number): boolean {
  const { spec = {}, metadata } = policy;
  return spec['mode'] !== 'Observe' && !isSuspendedAt(policy, nowMs) && metadata.deletionTimestamp === undefined;
}

/** `suspendUntil` is exclusive. */
export function isSuspendedAt(policy: StoredObject, nowMs: number): boolean {
  return policy.spec?.['suspend'] === true && nowMs < (suspensionEndOf(policy) ?? Infinity);
}

/** When the suspension ends by itself, in milliseconds since 1970; undefined when no time ends it. */
export function suspensionEndOf({ spec = {} }: StoredObject): number | undefined {
  const { suspend, suspendUntil } = spec;
  return suspend === true && typeof suspendUntil === 'string' ? Date.parse(suspendUntil) : undefined;
}

export function scopeOf({ spec = {} }: StoredObject): string {
  return String(spec['scope']).toLowerCase();
}

/** The normalized origin of the endpoint; undefined for an invalid address. */
export function originOf(connection: StoredObject | undefined): string | undefined {
  const { baseURL } = (connection?.spec?.['endpoint'] ?? {}) as Json;
  return typeof baseURL === 'string' && URL.canParse(baseURL) ? new URL(baseURL).origin : undefined;
}
