// A value of the API server that a connection refers to, such as a Secret, as it was last read. It is read again before it is used, once a
// minute has passed since the last reading. While the API server is unreachable the last value stays in use; any other failure ends
// its use. An idle connection reads nothing.
import { Cached } from '../../lib/cached.ts';
import type { Clock } from '../../lib/clock.ts';
import { CodedError, isCoded, StoppedError } from '../../lib/errors.ts';

/** `read-timeout`: no response before the deadline. `read-failed`: a bug here or in `read`. */
export type ReadingErrorCode = 'read-timeout' | 'read-failed';

export class ReadingError extends CodedError<ReadingErrorCode> {}

/** The one error of the API server that is handled here. */
type KubeReadErrorCode = 'kube-unreachable';

export type Read<T> = (signal: AbortSignal) => Promise<T>;

const readAgainAfterMs = 60_000;
export const readDeadlineMs = 10_000;

/** Reads nothing before the first use. A rejection with `kube-unreachable` or `stopped` keeps the last value; any other ends its use. */
export function createReading<T>({ clock, read }: { readonly clock: Clock; readonly read: Read<T> }): Cached<T> {
  return new Cached({
    clock,
    async load(signal) {
      // From its beginning: a reading may miss a change that happens during it.
      const staleAtMs = clock.monotonic() + readAgainAfterMs;
      return { value: await read(signal), staleAtMs };
    },
    deadlineMs: readDeadlineMs,
    late: () => new ReadingError('read-timeout', 'The API server did not respond before the deadline.'),
    toFailure: toCodedError,
    isKeptAfter: isUnanswered,
  });
}

/** True when a read got no response, which proves nothing about the value: the last one stays in use. */
function isUnanswered(error: CodedError): boolean {
  return (
    error instanceof StoppedError ||
    isCoded<KubeReadErrorCode | ReadingErrorCode>(error, 'kube-unreachable', 'read-timeout')
  );
}

/** Any other error is a bug, and its text may contain the credential, so it is replaced. */
function toCodedError(error: unknown): CodedError {
  if (isCoded(error)) return error;
  return new ReadingError('read-failed', 'The value could not be read.');
}
