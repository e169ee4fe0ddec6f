// Which change of an object requeues its scope, and when a status is repaired that another client changed. The operator's own status
// writes come back as events and must not requeue anything.
import type { Clock, Timer } from '../../lib/clock.ts';
import { doublingMs } from '../../lib/duration.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { hasFinalizer } from '../../policy/deletion.ts';
import type { RoleAlertConnectionStatus } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import {
  type AnyConnection,
  referenceTo,
  requestedAtAnnotation,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { conditionOf } from '../reasons/conditions.ts';
import { echoOf } from '../report/policy-status.ts';

/** `edit`: a user changed the spec or requested a reconcile. `repair`: another writer changed the status or the finalizer. */
export type Trigger = 'edit' | 'repair' | 'none';

/**
 * `seen`: the object that the operator acted on or wrote last; undefined for a new object. `writing`: the status that
 * it is writing now, which the watch may deliver before the response arrives.
 */
export function policyTrigger(
  seen: RoleAlertPolicy | undefined,
  now: RoleAlertPolicy,
  writing: RoleAlertPolicyStatus | undefined,
): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  const requested = now.metadata.annotations?.[requestedAtAnnotation];
  if (requested !== undefined && requested !== seen.metadata.annotations?.[requestedAtAnnotation]) return 'edit';
  return isKnownStatus(seen, now, writing) ? 'none' : 'repair';
}

/** True for known drift and for a reconcile request that no status has answered. */
export function isAwaited({ metadata, status }: RoleAlertPolicy): boolean {
  const requested = metadata.annotations?.[requestedAtAnnotation];
  const isRequested = requested !== undefined && status?.lastHandledReconcileAt !== echoOf(requested);
  return isRequested || conditionOf(status, 'InSync')?.status === 'False';
}

/** `isHeld`: whether the connection must have the finalizer. */
export function connectionTrigger(
  seen: AnyConnection | undefined,
  now: AnyConnection,
  { writing, isHeld }: { readonly writing: RoleAlertConnectionStatus | undefined; readonly isHeld: boolean },
): Trigger {
  if (!seen || seen.metadata.generation !== now.metadata.generation) return 'edit';
  if (seen.metadata.deletionTimestamp !== now.metadata.deletionTimestamp) return 'edit';
  if (hasFinalizer(seen) !== hasFinalizer(now) && hasFinalizer(now) !== isHeld) return 'repair';
  return isKnownStatus(seen, now, writing) ? 'none' : 'repair';
}

function isKnownStatus(
  seen: { readonly status?: object },
  now: { readonly status?: object },
  writing: object | undefined,
): boolean {
  return isSameJson(seen.status, now.status) || (writing !== undefined && isSameJson(writing, now.status));
}

interface Repair {
  /** When another client last changed the status; monotonic milliseconds. */
  lastMs: number;
  /** Repairs so far. */
  count: number;
  timer: Timer | undefined;
}

const firstDelayMs = 1000;
const longestDelayMs = 300_000;
/** A change after this time does not answer the last repair. */
const quietMs = 2 * longestDelayMs;

/** When to repair a status that another client changed: a second later, and each time twice as late. Two clients that each write a status of their own would otherwise take turns as fast as the API server responds. */
export class StatusRepairs {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By uid. Only objects whose status another client changed have one. */
  readonly #repairs = new Map<string, Repair>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Another client changed the status or the finalizer of `object`; calls `repair` when its back-off has passed. */
  changed(object: RoleAlertPolicy | AnyConnection, repair: () => void): void {
    const known = this.#repairOf(object);
    if (known.timer) return;
    const delayMs = doublingMs(++known.count, firstDelayMs, longestDelayMs);
    known.timer = this.#clock.setTimer(delayMs, () => {
      known.timer = undefined;
      repair();
    });
  }

  forget(uid: string): void {
    this.#repairs.get(uid)?.timer?.cancel();
    this.#repairs.delete(uid);
  }

  stop(): void {
    for (const uid of this.#repairs.keys()) this.forget(uid);
  }

  #repairOf(object: RoleAlertPolicy | AnyConnection): Repair {
    const { uid } = object.metadata;
    const nowMs = this.#clock.monotonic();
    const known = this.#repairs.get(uid);
    if (known && (known.timer || nowMs - known.lastMs < quietMs)) {
      known.lastMs = nowMs;
      return known;
    }
    const { kind, namespace, name } = referenceTo(object);
    this.#log.warn({ kind, namespace, name }, 'status changed by another client');
    const repair = { lastMs: nowMs, count: 0, timer: undefined };
    this.#repairs.set(uid, repair);
    return repair;
  }
}
