// The state of a service is in one place.
import { UsageError } from '../lib/command-errors.ts';
import type { SecretText } from '../lib/secret-text.ts';

/** Throws `UsageError` for a data file beside a database. */
export function refuseTwoStates(data: string | undefined, database: SecretText | undefined): void {
  if (data === undefined || !database) return;
  throw new UsageError('--data and --database exclude each other: the state is in a file or in PostgreSQL.');
}
