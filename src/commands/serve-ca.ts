// `rolealerts serve ca`: the CA of --tls-self-signed, from the state of a service that may be running.
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { silentLogger } from '../lib/log.ts';
import { secretOption } from '../lib/options/text.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { readDataFile } from '../service/database/read-data-file.ts';
import { readPostgres } from '../service/postgres/open-postgres.ts';
import { readAuthority } from '../service/tls/kept-certificate.ts';
import { defineCommand } from './command.ts';
import { backupOptions } from './serve-backup.ts';

export const databaseOption = secretOption({
  flag: 'database',
  placeholder: 'URL',
  description: 'The PostgreSQL database of the state, instead of --data: postgres://USER:PASSWORD@HOST/DATABASE.',
});

export const serveCACommand = defineCommand({
  name: 'ca',
  description: 'Print the CA certificate of --tls-self-signed, also while the service runs.',
  examples: ['rolealerts serve ca --data alerts.db > ca.crt'],
  options: { ...backupOptions, database: databaseOption },
  async run({ data, database }, { out }) {
    refuseTwoStates(data, database);
    const authority = database
      ? await readPostgres(database, { clock: systemClock, log: silentLogger }, readAuthority)
      : await readDataFile(fileOf(data), readAuthority);
    if (authority === undefined) {
      throw new LocalError('The service has no CA: it has not run with --tls-self-signed on this state.');
    }
    out.write(authority);
    return 0;
  },
});

function fileOf(data: string | undefined): string {
  if (data === undefined) throw new UsageError('Set --data or --database to the state of the service.');
  return data;
}

/** Throws `UsageError` for a data file beside a database. */
export function refuseTwoStates(data: string | undefined, database: SecretText | undefined): void {
  if (data === undefined || !database) return;
  throw new UsageError('--data and --database exclude each other: the state is in a file or in PostgreSQL.');
}
