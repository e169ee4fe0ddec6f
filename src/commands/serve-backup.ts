// `rolealerts serve backup`: the data file without the service, which may be running.
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { messageOf, unlessStopped } from '../lib/errors.ts';
import { textOption } from '../lib/options/text.ts';
import { type BackupCounts, backUpDataFile, sendBackup } from '../service/database/backup.ts';
import { defineCommand } from './command.ts';
import type { Host } from './host.ts';

export const backupOptions = {
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
