// The client of the service as the controller uses it: two operations (section 4), permits and reservations.
import type { AlertList } from '../alerts/types.ts';
import type { WaitOptions } from './rate-limiter.ts';
import type { ReservedRequests } from './reserved-requests.ts';
import type { Permit } from './semaphore.ts';

export interface RequestOptions extends WaitOptions {
  /** Requests that the rate limiter granted in advance; used up before it is asked again. The caller that reserved them releases them. */
  readonly prepaid?: ReservedRequests;
  /** A permit that the caller already holds. Without it the request acquires its own. */
  readonly permit?: Permit;
}

export interface ListRequestOptions extends RequestOptions {
  /** Receives each page as the service sent it, what describes people included. Only `incidents --reveal` asks for it. */
  readonly onPage?: (page: unknown) => void;
}

export interface PatchRequestOptions extends RequestOptions {
  /**
   * Called in the same tick as every send. When it throws, nothing is sent and the request fails with that error. Once it
   * has returned, the PATCH may reach the service whatever happens next.
   */
  readonly beforeSend?: () => void;
  /** Called after a 401, which changed nothing, and before the client sends the request again with another token. */
  readonly onRefused?: () => void;
}

/** Every method throws `CodedError` only; `stopped` when the signal aborts or the client stops. */
export interface AlertClient {
  /** All pages, in the service's order. Each page counts as one request. */
  listAlerts(scope: string, options: ListRequestOptions): Promise<AlertList>;
  /** `sent` for a 204, `unproven` for any other 2xx. */
  patchAlert(
    scope: string,
    alertName: string,
    isActive: boolean,
    options: PatchRequestOptions,
  ): Promise<'sent' | 'unproven'>;
  /** Acquires requests in advance, for a PATCH and its verifying LIST. Pass the result as `prepaid`. */
  reserve(requests: number, options: WaitOptions): Promise<ReservedRequests>;
  /** Reads the credential again. True when it differs from the last rejected one, or can no longer be used. */
  credentialChanged(signal: AbortSignal): Promise<boolean>;
  /** Waits for a permit. Pass it as `permit` to requests that must follow each other closely. */
  acquirePermit(options: WaitOptions): Promise<Permit>;
  /** Cancels requests in flight and rejects later ones. Does not stop the rate limiter, which has its own owner. Idempotent. */
  stop(): Promise<void>;
}
