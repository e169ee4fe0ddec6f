// Rejects an invalid option with a sentence for the user.
import { UsageError } from '../lib/command-errors.ts';

/** Throws `UsageError` with the message unless `isRight`. */
export function requireThat(isRight: boolean, message: string): void {
  if (!isRight) throw new UsageError(message);
}
