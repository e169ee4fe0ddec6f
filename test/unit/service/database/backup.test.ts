// Copies and checks of a data file, with and without an owner that writes to it.
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { JWK } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { systemClock } from '../../../../src/lib/clock.ts';
import { storeAlert } from '../../../../src/service/alerts/alert-document.ts';
import { backUpDataFile } from '../../../../src/service/database/backup.ts';
import { checkDataFile } from '../../../../src/service/database/check.ts';
import { openDataFile } from '../../../../src/service/database/data-file.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { openSigningKeys } from '../../../../src/service/oauth/keys/signing-keys.ts';

let folder = '';
let file = '';
let copy = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-backup-'));
  [file, copy] = [join(folder, 'state.db'), join(folder, 'copy.db')];
});
afterEach(() => rm(folder, { recursive: true }));

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

const good = { scopes: 1, alerts: 3, withoutChecksum: 0, findings: [] };

describe('a backup', () => {
  test('has everything that was stored before it, while the owner runs', async () => {
    const owner = await openStore();
    expect(await backUpDataFile(file, copy)).toMatchObject(good);
    await owner.close();
    const restored = openDatabase(copy);
    expect(await restored.alerts.readAlert('s', 'b')).toContain('"name":"b"');
    await restored.close();
  });

  test('is the state of one moment, also when the owner writes meanwhile', async () => {
    const owner = openDataFile(file);
    const addBoth = () =>
      owner.exec(`BEGIN; INSERT INTO scope VALUES (hex(randomblob(8)));
      INSERT INTO scanned_scope VALUES (hex(randomblob(2000))); COMMIT`);
    for (let index = 0; index < 50; index++) addBoth();
    const done = backUpDataFile(file, copy);
    for (let index = 0; index < 50; index++) addBoth();
    await done;
    owner.close();
    const copied = new DatabaseSync(copy);
    const countOf = (table: string) => copied.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
    expect(countOf('scope')).toBe(countOf('scanned_scope'));
    expect(countOf('scope')).toBeGreaterThanOrEqual(50);
    copied.close();
  });

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

  test('of a file that is damaged, or of another program, is not made', async () => {
    await (await openStore()).close();
    changeWithSqlite("UPDATE document SET properties = '\"x' WHERE position = 2");
    const refusal = { code: 'local', message: expect.stringContaining('is damaged, so no backup was made') as string };
    await expect(backUpDataFile(file, copy)).rejects.toMatchObject(refusal);
    await writeFile(file, 'not a database, and longer than a header of one '.repeat(10));
    await expect(backUpDataFile(file, copy)).rejects.toThrow(/^Cannot back up .*: file is not a database\.$/);
    expect((await readdir(folder)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  test('into a folder that does not exist is refused', async () => {
    await (await openStore()).close();
    await expect(backUpDataFile(file, join(folder, 'none', 'copy.db'))).rejects.toThrow(/^Cannot back up .*: ENOENT/);
  });
});

describe('a check', () => {
  test('counts what a good file has, while its owner runs and after that', async () => {
    const owner = await openStore();
    expect(checkDataFile(file)).toMatchObject(good);
    await owner.close();
    const before = await readdir(folder);
    expect(checkDataFile(file)).toMatchObject(good);
    expect(await readdir(folder)).toEqual(before);
  });

  test('reads what a killed owner left in the log beside the file', async () => {
    const owner = await openStore();
    for (const side of ['', '-wal']) await writeFile(`${copy}${side}`, await readFile(`${file}${side}`));
    await owner.close();
    expect(checkDataFile(copy)).toMatchObject(good);
  });

  test.each([
    ['a row without its document', 'DELETE FROM document WHERE position = 2', 'has no document'],
    [
      'a changed document',
      "UPDATE document SET members = '\"a' WHERE position = 2",
      'has a wrong checksum of its document',
    ],
    ['a changed flag', 'UPDATE alert SET is_active = 1 WHERE position = 2', 'has a wrong checksum of its flag'],
    [
      'the document of another alert',
      `UPDATE document SET (members, properties, checksum) =
        (SELECT members, properties, checksum FROM document WHERE position = 1) WHERE position = 2`,
      'has a wrong checksum of its document',
    ],
    [
      'text without a checksum that is not JSON',
      "UPDATE document SET members = '\"a', checksum = NULL WHERE position = 2",
      'is not JSON',
    ],
  ])('finds %s', async (_, sql, problem) => {
    await (await openStore()).close();
    changeWithSqlite(sql);
    expect(checkDataFile(file).findings).toEqual([`The alert b of the scope s ${problem}.`]);
  });

  test('finds scopes that alerts have lost, and a start refuses the file', async () => {
    await (await openStore()).close();
    changeWithSqlite('PRAGMA foreign_keys = OFF; DELETE FROM scope');
    expect(checkDataFile(file).findings).toEqual(['The file is damaged: alerts have lost their scope s.']);
    expect(() => openDataFile(file)).toThrow(/^The data file .* is damaged: alerts have lost their scope s\. Restore/);
  });

  test.each([
    ['of another pair', (jwk: JWK) => ({ ...jwk, d: jwk.y })],
    ['with another id', (jwk: JWK) => ({ ...jwk, x: jwk.y })],
    ['of another curve', (jwk: JWK) => ({ ...jwk, crv: 'P-384' })],
  ])('finds a signing key %s', async (_, damage) => {
    const owner = await openStore();
    const { id } = await (await openSigningKeys(owner.sql, systemClock)).current();
    expect(checkDataFile(file).findings).toEqual([]);
    const [row] = await owner.sql.query('SELECT jwk FROM signing_key');
    const damaged = JSON.stringify(damage(JSON.parse(String(row?.['jwk'])) as JWK));
    await owner.sql.query('UPDATE signing_key SET jwk = $1', [damaged]);
    await expect(openSigningKeys(owner.sql, systemClock)).rejects.toThrow(/damaged in the signing key/);
    await owner.close();
    expect(checkDataFile(file).findings).toEqual([`The signing key ${id} is not what the service wrote.`]);
  });

  test.each([
    [
      'of another program',
      'CREATE TABLE theirs (x); PRAGMA application_id = 1',
      'The file is no data file of this service.',
    ],
    ['of a newer version', 'PRAGMA user_version = 99', 'A newer version of this program wrote the file.'],
  ])('names a file %s', async (_, sql, finding) => {
    await (await openStore()).close();
    changeWithSqlite(sql);
    expect(checkDataFile(file).findings).toEqual([finding]);
  });

  test('names a file that is no database', async () => {
    await writeFile(file, 'not a database, and longer than a header of one '.repeat(10));
    expect(checkDataFile(file).findings).toEqual(['The file is not readable: file is not a database.']);
    expect(() => checkDataFile(copy)).toThrow(/^The data file .*copy\.db does not exist\.$/);
  });

  test('counts the alerts that an earlier version wrote, and reads its tables', async () => {
    await (await openStore()).close();
    changeWithSqlite('UPDATE alert SET checksum = NULL WHERE position = 2');
    expect(checkDataFile(file)).toMatchObject({ ...good, withoutChecksum: 1 });
    changeWithSqlite(`ALTER TABLE alert DROP COLUMN checksum; ALTER TABLE document DROP COLUMN checksum;
      PRAGMA user_version = 4`);
    expect(checkDataFile(file)).toMatchObject({ ...good, withoutChecksum: 3 });
  });

  test('lists all findings when they are fifty', async () => {
    const owner = await openStore();
    for (let index = 0; index < 47; index++) await owner.alerts.putAlert('s', alertOf(`more${index}`));
    await owner.close();
    changeWithSqlite('DELETE FROM document');
    const { findings } = checkDataFile(file);
    expect([findings.length, findings.at(-1)]).toEqual([50, expect.stringContaining('more46')]);
  });

  test('lists the first findings, and counts the others', async () => {
    const owner = await openStore();
    for (let index = 0; index < 60; index++) await owner.alerts.putAlert('s', alertOf(`more${index}`));
    await owner.close();
    changeWithSqlite('DELETE FROM document');
    const { findings } = checkDataFile(file);
    expect([findings.length, findings.at(-1)]).toEqual([51, 'There are 13 more findings.']);
  });
});
