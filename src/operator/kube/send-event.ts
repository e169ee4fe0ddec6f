// Sends one Event, with retries while the API server does not respond.
import { sleep, type Clock } from '../../lib/clock.ts';
import { StoppedError, messageOf } from '../../lib/errors.ts';
import type { EventRequest } from './event-object.ts';
import { isKubeError } from './kube-error.ts';
import { errorFromUnsuccessful, type KubeTransport } from './transport.ts';

/** Why an event was dropped: the queue was full, the server rejected it, the server did not respond, or the operator stopped. */
export type DropCause = 'full' | 'refused' | 'unreachable' | 'stopped';

/** Delays before the second, third and last attempt. Retry-After is a minimum, up to 30 s. */
const retryDelaysMs = [500, 2000, 8000];
const longestRetryAfterMs = 30_000;

const deadlineMs = 10_000;

/**
 * `undefined` when the Event is stored. A conflict means that an earlier attempt succeeded. A process that may not write now, as for seconds
 * after a step of its clock, tries again as well.
 */
export async function sendWithRetries(
  transport: KubeTransport,
  clock: Clock,
  { path, body }: EventRequest,
  signal: AbortSignal,
): Promise<{ cause: DropCause; detail: string } | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await transport.send({ verb: 'create', path, body, answer: 'metadata', deadlineMs, signal });
      // The status says everything: the body of a success is not parsed.
      const failure = errorFromUnsuccessful(response);
      if (failure) throw failure;
      return undefined;
    } catch (error) {
      if (isKubeError(error, 'kube-conflict')) return undefined;
      const detail = messageOf(error);
      if (error instanceof StoppedError) return { cause: 'stopped', detail };
      const isUnreachable = isKubeError(error, 'kube-unreachable');
      if (isKubeError(error) && !isUnreachable) return { cause: 'refused', detail };
      const delayMs = retryDelaysMs[attempt];
      if (delayMs === undefined) return { cause: 'unreachable', detail };
      const retryAfterMs = (isUnreachable && error.retryAfterMs) || 0;
      await sleep(clock, Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs)), signal);
      if (signal.aborted) return { cause: 'stopped', detail };
    }
  }
}
