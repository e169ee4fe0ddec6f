// `rolealerts serve backup` and `rolealerts serve check`: the data file without the service, which may be running.
import { backupOptions } from '../config/data-file-options.ts';
import { UsageError } from '../lib/command-errors.ts';
import type { Output } from '../lib/output.ts';
import { backUpDataFile } from '../service/database/backup.ts';
import { checkDataFile, type DataFileReport } from '../service/database/check.ts';
import { defineCommand } from './command.ts';

export const serveBackupCommand = defineCommand({
  name: 'backup',
  description: 'Copy the data file to a new file, also while the service runs; check the copy.',
  more: 'To restore, stop the service, remove the files FILE-wal and FILE-shm, and put the copy in place of the data file.',
  examples: ['rolealerts serve backup --data alerts.db "alerts-$(date +%F).db"'],
  options: backupOptions,
  operands: [{ name: 'FILE', description: 'The new file, created with mode 0600.' }],
  async run({ data }, { out }, [file = '']) {
    if (data === undefined)
      throw new UsageError(
        'Set --data to the data file to copy. A state in PostgreSQL (--database) has none: copy it with pg_dump.',
      );

    printCounts(await backUpDataFile(data, file), out);
    return 0;
  },
});

export const serveCheckCommand = defineCommand({
  name: 'check',
  description: 'Check a data file or a backup, also while the service runs; exit with 1 when it is damaged.',
  examples: ['rolealerts serve check alerts.db'],
  options: {},
  operands: [{ name: 'FILE', description: 'The file. The check does not change it.' }],
  async run(_values, { out }, [file = '']) {
    const report = checkDataFile(file);
    for (const finding of report.findings) out.write(`${finding}\n`);
    if (report.findings.length > 0) return 1;
    printCounts(report, out);
    return 0;
  },
});

function printCounts({ version, scopes, alerts, withoutChecksum }: DataFileReport, out: Output): void {
  const old = withoutChecksum === 0 ? '' : `, ${withoutChecksum} without a checksum`;
  out.write(`good: tables of version ${version}, scopes: ${scopes}, alerts: ${alerts}${old}\n`);
}
