// How often a policy may deactivate one alert that somebody keeps activating. Every PATCH that is sent counts, whatever came of it. The
// count is in the policy's status, so that a restart changes nothing, and until a status says it in the memory of the process.
// Activating is never held.
import { canonicalName } from '../alerts/resource-id.ts';
import { parseDuration } from '../lib/duration.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { DeactivationCount, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../policy/resources.ts';
import { conditionOf } from './conditions.ts';

const defaultWindowMs = 6 * 3_600_000;
/** The longest window that the schema takes. */
const longestWindowMs = 168 * 3_600_000;

/** What was sent for one alert of one policy. */
export interface SentDeactivations extends DeactivationCount {
  /** The spec and the reconcile request that the latest one was sent for: each lets one through, and no more. */
  readonly request: string;
}

/** Deactivations that were sent, whether a status says it or not; by policy uid and `canonicalName`. */
export type DampingMemory = ReadonlyMap<string, SentDeactivations>;

/** When the policy may deactivate the alert again; undefined when it may now. Milliseconds since 1970. */
export function dampedUntilMs(
  policy: RoleAlertPolicy,
  alertName: string,
  memory: DampingMemory,
  nowMs: number,
): number | undefined {
  const known = deactivationsOf(policy, alertName, memory, nowMs);
  if (!known || known.count < policy.spec.damping.maxDeactivations) return undefined;
  const endMs = windowEndMs(known, policy, nowMs);
  const isAnswered = memory.get(keyOf(policy, alertName))?.request === requestOf(policy);
  return isAskedFor(policy) && !isAnswered ? undefined : endMs;
}

/** What the status and the memory know together: of windows that are open the greater count, else what the status says. */
export function deactivationsOf(
  policy: RoleAlertPolicy,
  alertName: string,
  memory: DampingMemory,
  nowMs: number,
): DeactivationCount | undefined {
  const recorded = recordedOf(policy.status, alertName);
  const [most] = [recorded, memory.get(keyOf(policy, alertName))]
    .filter((count) => count !== undefined)
    .filter((count) => isOpen(count, policy, nowMs))
    .sort((a, b) => b.count - a.count);
  return most ? { windowStart: most.windowStart, count: most.count } : recorded;
}

function recordedOf(status: RoleAlertPolicyStatus | undefined, alertName: string): DeactivationCount | undefined {
  const key = canonicalName(alertName);
  return status?.alerts?.find(({ name }) => canonicalName(name) === key)?.deactivations;
}

/** With one more that is being sent. Windows that no policy can still have open are dropped. */
export function withDeactivation(
  memory: DampingMemory,
  policy: RoleAlertPolicy,
  alertName: string,
  nowMs: number,
): DampingMemory {
  const known = deactivationsOf(policy, alertName, memory, nowMs);
  const next =
    known && isOpen(known, policy, nowMs)
      ? { ...known, count: known.count + 1 }
      : { windowStart: formatTimestamp(nowMs), count: 1 };
  const recent = [...memory].filter(([, { windowStart }]) => nowMs - Date.parse(windowStart) < longestWindowMs);
  return new Map(recent).set(keyOf(policy, alertName), { ...next, request: requestOf(policy) });
}

/** False once the window is over, and when its start lies ahead: then a clock was wrong. */
export function isOpen(count: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): boolean {
  return windowEndMs(count, policy, nowMs) !== undefined;
}

function windowEndMs({ windowStart }: DeactivationCount, policy: RoleAlertPolicy, nowMs: number): number | undefined {
  const startMs = Date.parse(windowStart);
  const endMs = startMs + (parseDuration(policy.spec.damping.window) ?? defaultWindowMs);
  return startMs <= nowMs && nowMs < endMs ? endMs : undefined;
}

function keyOf({ metadata }: RoleAlertPolicy, alertName: string): string {
  return `${metadata.uid} ${canonicalName(alertName)}`;
}

function requestOf({ metadata }: RoleAlertPolicy): string {
  return `${metadata.generation} ${metadata.annotations?.[requestedAtAnnotation] ?? ''}`;
}

/** True when the spec changed or a reconcile was requested, and no status says yet that it was done. */
function isAskedFor({ metadata, status }: RoleAlertPolicy): boolean {
  if (!status || !isPlanned(status, metadata.generation)) return true;
  const requested = metadata.annotations?.[requestedAtAnnotation];
  return requested !== undefined && echoOf(requested) !== status.lastHandledReconcileAt;
}

/** `observedGeneration` waits until every alert is decided; InSync speaks of a generation from its first whole list on. */
function isPlanned(status: RoleAlertPolicyStatus, generation: number): boolean {
  return [status.observedGeneration, conditionOf(status, 'InSync')?.observedGeneration].includes(generation);
}

/** Longest echo of the annotation that the schema takes, in characters. */
const echoLimit = 256;

/** What `status.lastHandledReconcileAt` says of a request: the beginning of a long one, and no half of a character. */
export function echoOf(requested: string): string {
  return requested.slice(0, echoLimit).replace(/[\ud800-\udbff]$/, '');
}
