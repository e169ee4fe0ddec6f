// The client of the service as the controller and the commands use it: two operations (section 4), permits and reservations. The
// controller imports nothing else of this folder.
import type { AlertList } from '../../alerts/types.ts';
import type { Permit } from '../../lib/semaphore.ts';

/** A user's edit, or a resync. */
export type Priority = 'high' | 'low';

export interface WaitOptions {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Aborts only the wait for the rate limiter; the call then rejects with `stopped`. */
  readonly waitSignal?: AbortSignal | undefined;
}

export interface CallOptions extends WaitOptions {
  /**
   * Requests that the rate limiter granted in advance; when none is left, the call rejects with `stopped`. The caller that reserved them
   * releases them.
   */
  readonly prepaid?: Reservation;
  /** A permit that the caller already holds. Without it the request acquires its own. */
  readonly permit?: Permit;
  /**
   * Called in the same tick as every send. When it throws, nothing is sent and the request fails with that error. Once it
   * has returned, the request may reach the service whatever happens next.
   */
  readonly beforeSend?: (() => void) | undefined;
}

export interface PatchOptions extends CallOptions {
  readonly beforeSend: () => void;
}

/** Requests that were acquired in advance, so that a list and the PATCH that is planned from it follow each other at once. */
export interface Reservation {
  /** Uses one request; false when none is left. */
  use(): boolean;
  /** Returns the unused requests. Idempotent. */
  release(): void;
}

/**
 * The alerts service through one connection. Every method throws `CodedError` only; `stopped` when the signal aborts or the client stops,
 * and `endpoint-invalid` when the connection has an address that cannot be used.
 */
export interface AlertClient {
  /** All pages, in the service's order. Each page counts as one request. */
  listAlerts(scope: string, options: CallOptions): Promise<AlertList>;
  /** `sent` for a 204, `unproven` for any other 2xx. The controller treats both alike: only a list verifies a PATCH. */
  patchAlert(scope: string, alertName: string, isActive: boolean, options: PatchOptions): Promise<'sent' | 'unproven'>;
  /** Acquires requests in advance. Pass the result as `prepaid`. Throws `service-busy` during a pause. */
  reserve(requests: number, options: WaitOptions): Promise<Reservation>;
  /** Waits for one of the connection's `maxConcurrent` permits. Pass it as `permit` to requests that must follow each other closely. */
  acquirePermit(signal: AbortSignal): Promise<Permit>;
  /** Cancels requests in flight and rejects later ones. Does not stop the rate limiter, which has its own owner. Idempotent. */
  stop(): Promise<void>;
}
