// Copies of a data file, with and without an owner that writes to it.
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { beforeEach, describe, expect, test } from 'vitest';

import { storeAlert } from '../../../../src/service/alerts/alert-document.ts';
import { backUpDataFile, sendBackup } from '../../../../src/service/database/backup.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

let folder = '';
let file = '';
let copy = '';
beforeEach(async () => {
  folder = await newFolder();
  [file, copy] = [join(folder, 'state.db'), join(folder, 'copy.db')];
});

const place = { scope: 's', providerNamespace: 'Vendor.Authorization', nowMs: 0 };
const alertOf = (name: string) => storeAlert({ name }, name, place);

/** An open store with the alerts `a`, `b` and `c` in the scope `s`. */
async function openStore() {
  const database = openDatabase(file);
  for (const name of ['a', 'b', 'c']) await database.alerts.putAlert('s', alertOf(name));
  return database;
}

function changeWithSqlite(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('a backup', () => {
  test('is one file that only its owner can read, with nothing beside it', async () => {
    await (await openStore()).close();
    await chmod(file, 0o644);
    await backUpDataFile(file, copy);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => !name.startsWith('state.db'))).toEqual(['copy.db']);
  });

  test('replaces no file', async () => {
    await (await openStore()).close();
    await writeFile(copy, 'mine');
    await expect(backUpDataFile(file, copy)).rejects.toThrow(/copy\.db exists: name a new one\.$/);
    expect(await readFile(copy, 'utf8')).toBe('mine');
  });

  test('needs a data file', async () => {
    await expect(backUpDataFile(file, copy)).rejects.toThrow(/^The data file .*state\.db does not exist\.$/);
  });

  test.each([
    ['a row without its document', 'DELETE FROM document WHERE position = 2'],
    [
      'the document of another alert',
      `UPDATE document SET (members, properties, checksum) =
        (SELECT members, properties, checksum FROM document WHERE position = 1) WHERE position = 2`,
    ],
  ])('of a file with %s is not made, and names it', async (_, sql) => {
    await (await openStore()).close();
    changeWithSqlite(sql);
    await expect(backUpDataFile(file, copy)).rejects.toMatchObject({
      code: 'local',
      message: expect.stringContaining('is damaged, so no backup was made') as string,
      detail: `The data file ${file} is damaged in the alert b of the scope s: its document is missing or has another checksum.`,
    });
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  test('of a damaged file is not sent, not even its beginning', async () => {
    await (await openStore()).close();
    changeWithSqlite('DELETE FROM document WHERE position = 2');
    const chunks: Uint8Array[] = [];
    const sending = sendBackup(file, async (chunk) => void chunks.push(chunk));
    await expect(sending).rejects.toThrow(/is damaged, so no backup was made/);
    expect(chunks).toEqual([]);
  });
});
