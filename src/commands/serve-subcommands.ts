// `rolealerts serve backup` and `serve ca`: the state of a service that may be running; and `serve hash`.
import { trimEndOf } from '../lib/clean-text.ts';
import { systemClock } from '../lib/clock.ts';
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { messageOf, unlessStopped } from '../lib/errors.ts';
import { silentLogger } from '../lib/log.ts';
import { secretOption, textOption } from '../lib/options/text.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { type BackupCounts, backUpDataFile, sendBackup } from '../service/database/backup.ts';
import { readDataFile } from '../service/database/read-data-file.ts';
import { hashNewSecret } from '../service/oauth/hashed-secret.ts';
import { readPostgres } from '../service/postgres/open-postgres.ts';
import { readAuthority } from '../service/tls/kept-certificate.ts';
import { defineCommand } from './command.ts';
import type { Host } from './host.ts';

const backupOptions = {
  data: textOption({
    flag: 'data',
    placeholder: 'FILE',
    description: 'The data file of the service, which may be running.',
  }),
};

export const serveBackupCommand = defineCommand({
  name: 'backup',
  description: 'Copy the data file to a new file, also while the service runs; check the copy.',
  more: 'To restore, stop the service, remove the files FILE-wal and FILE-shm, and put the copy in place of the data file.',
  examples: [
    'rolealerts serve backup --data alerts.db "alerts-$(date +%F).db"',
    'rolealerts serve backup --data alerts.db - > copy.db',
  ],
  options: backupOptions,
  operands: [{ name: 'FILE', description: 'The new file, created with mode 0600, or - for standard output.' }],
  async run({ data }, host, [file = '']) {
    if (data === undefined)
      throw new UsageError(
        'Set --data to the data file to copy. A state in PostgreSQL (--database) has none: copy it with pg_dump.',
      );
    if (file === '-') host.err.write(goodLine(await printBackup(data, host)));
    else host.out.write(goodLine(await backUpDataFile(data, file)));
    return 0;
  },
});

function goodLine({ scopes, alerts }: BackupCounts): string {
  return `good: scopes: ${scopes}, alerts: ${alerts}\n`;
}

async function printBackup(data: string, { out, writeBytes, stopping }: Host): Promise<BackupCounts> {
  if (out.isTerminal) throw new UsageError('A backup is binary: redirect standard output to a file.');
  const write = (bytes: Uint8Array) =>
    writeBytes(bytes).catch((cause: unknown) => {
      throw new LocalError(`Cannot write the backup to standard output: ${messageOf(cause)}.`);
    });
  return sendBackup(data, (bytes) => unlessStopped(write(bytes), stopping));
}

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

/** Longer than any secret; the limit keeps a wrong file out. */
const secretLimitBytes = 4096;

export const serveHashCommand = defineCommand({
  name: 'hash',
  description: 'Read a secret from standard input and print its hash, for secretHash and passwordHash.',
  more: 'Line ends after the secret do not belong to it, as in a secretFile.',
  examples: ['rolealerts serve hash < secret.txt'],
  options: {},
  async run(_values, { input, out }) {
    if (input.isTerminal) throw new UsageError('Send the secret on standard input: rolealerts serve hash < FILE');
    const bytes = await input.read(secretLimitBytes);
    if (bytes.length > secretLimitBytes) throw new UsageError(`The secret is longer than ${secretLimitBytes} bytes.`);
    const secret = trimEndOf(new TextDecoder('utf-8', { fatal: false }).decode(bytes), '\r\n');
    if (secret === '') throw new UsageError('The secret on standard input is empty.');
    out.write(`${await hashNewSecret(secret)}\n`);
    return 0;
  },
});
