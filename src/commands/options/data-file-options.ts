// The options of the commands on the state of a service: `rolealerts serve backup` and `rolealerts serve ca`.
import { UsageError } from '../../lib/command-errors.ts';
import { textOption } from '../../lib/options/text.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { serveOptions } from './serve-options.ts';

export const backupOptions = {
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The data file of the service, which may be running.',
  }),
};

export const caOptions = { ...backupOptions, database: serveOptions.database };

/** Throws `UsageError` for a data file beside a database. */
export function refuseTwoStates(data: string | undefined, database: SecretText | undefined): void {
  if (data === undefined || !database) return;
  throw new UsageError('--data and --database exclude each other: the state is in a file or in PostgreSQL.');
}
