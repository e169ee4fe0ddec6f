// What a test of a decoder compares: the message that a user would read.
import { UsageError } from '../../../src/lib/command-errors.ts';

/** The message of the `UsageError` that `act` throws. */
export function refusalOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof UsageError ? error.message : `another error: ${String(error)}`;
  }
  return 'no error';
}
