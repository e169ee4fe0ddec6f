// The error of a cancelled request, the same for everything in this folder.
import { StoppedError } from '../../lib/errors.ts';

/** Either nothing was sent, or the result is unknown. */
export function cancelled(): StoppedError {
  return new StoppedError('The request was cancelled.');
}
