// Flap damping: limits how often a policy deactivates an alert that other clients keep activating. Every PATCH sent
// counts, whatever its result. The status of the policy holds the count, so it survives a restart; until the status is
// written, the process remembers it. Damping never holds an activation.
import { canonicalName } from '../alerts/resource-id.ts';
import { parseDuration } from '../lib/duration.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { DeactivationCount, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../policy/resources.ts';
import { conditionOf } from './conditions.ts';

const defaultWindowMs = 6 * 3_600_000;
/** The longest window that the schema allows. */
const longestWindowMs = 168 * 3_600_000;

/** The deactivations sent for one alert of one policy. */
export interface SentDeactivations extends DeactivationCount {
  /** The spec generation and reconcile request of the latest deactivation: each new one allows exactly one more. */
  readonly request: string;
}

/** Sent deactivations, whether a status shows them or not, by policy uid and `canonicalName`. */
export type DampingMemory = ReadonlyMap<string, SentDeactivations>;

/** When the policy may deactivate the alert again, in milliseconds since 1970; undefined when it may now. */
export function dampedUntilMs(
  policy: RoleAlertPolicy,
  alertName: string,
  memory: DampingMemory,
  nowMs: number,
): number | undefined {
  const known = deactivationsOf(policy, alertName, memory, nowMs);
  if (!known || known.count < policy.spec.damping.maxDeactivations) return undefined;
  const endMs = windowEndMs(known, policy, nowMs);
  const isRequestUsed = memory.get(keyOf(policy, alertName))?.request === requestOf(policy);
  return isRequestPending(policy) && !isRequestUsed ? undefined : endMs;
}

/**
 * Combines status and memory: the greater count of the open windows or, if none is open, one that may still open, or what the status
 * shows.
 */
export function deactivationsOf(
  policy: RoleAlertPolicy,
  alertName: string,
  memory: DampingMemory,
  nowMs: number,
): DeactivationCount | undefined {
  const recorded = recordedOf(policy.status, alertName);
  const known = [recorded, memory.get(keyOf(policy, alertName))]
    .filter((count) => count !== undefined)
    .sort((a, b) => b.count - a.count);
  const most =
    known.find((count) => isWindowOpen(count, policy, nowMs)) ?? known.find((count) => mayCount(count, policy, nowMs));
  return most ? { windowStart: most.windowStart, count: most.count } : recorded;
}

function recordedOf(status: RoleAlertPolicyStatus | undefined, alertName: string): DeactivationCount | undefined {
  const key = canonicalName(alertName);
  return status?.alerts?.find(({ name }) => canonicalName(name) === key)?.deactivations;
}

/** Adds one deactivation at `nowMs`. Drops windows that have ended under any allowed setting. */
export function withDeactivation(
  memory: DampingMemory,
  policy: RoleAlertPolicy,
  alertName: string,
  nowMs: number,
): DampingMemory {
  const known = deactivationsOf(policy, alertName, memory, nowMs);
  const next =
    known && isWindowOpen(known, policy, nowMs)
      ? { ...known, count: known.count + 1 }
      : { windowStart: formatTimestamp(nowMs), count: 1 };
  const recent = [...memory].filter(([, { windowStart }]) => nowMs - Date.parse(windowStart) < longestWindowMs);
  return new Map(recent).set(keyOf(policy, alertName), { ...next, request: requestOf(policy) });
}

/** False after the window, and when it starts in the future because a clock was wrong. */
function isWindowOpen(count: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): boolean {
  return windowEndMs(count, policy, nowMs) !== undefined;
}

/** True while the window is open, and one window before its start: a clock that stepped back will reach the window again. */
export function mayCount({ windowStart }: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): boolean {
  return Math.abs(nowMs - Date.parse(windowStart)) < windowMs(policy);
}

function windowEndMs({ windowStart }: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): number | undefined {
  const startMs = Date.parse(windowStart);
  const endMs = startMs + windowMs(policy);
  return startMs <= nowMs && nowMs < endMs ? endMs : undefined;
}

function windowMs({ spec }: RoleAlertPolicy): number {
  return parseDuration(spec.damping.window) ?? defaultWindowMs;
}

function keyOf({ metadata }: RoleAlertPolicy, alertName: string): string {
  return `${metadata.uid} ${canonicalName(alertName)}`;
}

function requestOf({ metadata }: RoleAlertPolicy): string {
  return `${metadata.generation} ${metadata.annotations?.[requestedAtAnnotation] ?? ''}`;
}

/** True when the spec changed or a reconcile was requested, and no status shows yet that it was handled. */
function isRequestPending({ metadata, status }: RoleAlertPolicy): boolean {
  if (!status || !hasListed(status, metadata.generation)) return true;
  const requested = metadata.annotations?.[requestedAtAnnotation];
  return requested !== undefined && echoOf(requested) !== status.lastHandledReconcileAt;
}

/**
 * `observedGeneration` waits until every alert is decided; the InSync condition has the generation from its first
 * complete list on.
 */
function hasListed(status: RoleAlertPolicyStatus, generation: number): boolean {
  return [status.observedGeneration, conditionOf(status, 'InSync')?.observedGeneration].includes(generation);
}

/** Maximum length of `lastHandledReconcileAt` in the schema, in characters. */
const echoLimit = 256;

/**
 * The value of `status.lastHandledReconcileAt` for a request: cut to the maximum length without splitting a surrogate
 * pair.
 */
export function echoOf(requested: string): string {
  return requested.slice(0, echoLimit).replace(/[\ud800-\udbff]$/, '');
}
