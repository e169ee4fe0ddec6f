import { chmod, link as hardLink, open, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { beforeEach, describe, expect, test } from 'vitest';

import { openDataFile } from '../../../../src/service/database/data-file.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await newFolder();
  file = join(folder, 'state.db');
});

const usage = (sentence: RegExp) =>
  expect.objectContaining({ code: 'usage', message: expect.stringMatching(sentence) });

function writeWithSqlite(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const pageBytes = 4096;

/** The third page holds rows or an index. */
async function zeroPage(): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(pageBytes), 0, pageBytes, 8 * pageBytes);
  await handle.close();
}

/** Changes the key of one alert where the index has it, and not in its row. */
async function changeIndexEntry(): Promise<void> {
  const bytes = await readFile(file);
  const leafOfIndex = 10;
  let at = bytes.indexOf('sa123');
  while (bytes[at - (at % pageBytes)] !== leafOfIndex) at = bytes.indexOf('sa123', at + 1);
  bytes.write('sb123', at);
  await writeFile(file, bytes);
}

describe('the data file', () => {
  test('is readable by its owner only', async () => {
    openDataFile(file).close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('is made private when it was not, with what lies beside it', async () => {
    await writeFile(file, '', { mode: 0o644 });
    await writeFile(`${file}-wal`, '', { mode: 0o644 });
    const database = openDataFile(file);
    const modes = await Promise.all([file, `${file}-wal`].map(async (path) => (await stat(path)).mode & 0o777));
    database.close();
    expect(modes).toEqual([0o600, 0o600]);
  });

  test('is a file whatever its name means to SQLite', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const name of [':memory:', 'file:state.db?mode=memory']) {
        openDataFile(name).close();
        expect((await stat(join(folder, name))).size).toBeGreaterThan(0);
      }
    } finally {
      process.chdir(before);
    }
  });

  test('with a second name is refused, because two services could use it', async () => {
    openDataFile(file).close();
    const other = join(folder, 'other.db');
    await hardLink(file, other);
    expect(() => openDataFile(other)).toThrow(usage(/^The data file .*other\.db has another name, a hard link/));
    await rm(file);
    openDataFile(other).close();
  });

  test('is written so that what was acknowledged survives a kill', () => {
    const database = openDataFile(file);
    const journal = database.prepare('PRAGMA journal_mode').get();
    const synchronous = database.prepare('PRAGMA synchronous').get();
    database.close();
    expect([journal, synchronous]).toEqual([{ journal_mode: 'wal' }, { synchronous: 2 }]);
  });

  test('belongs to one process at a time, by whatever name', async () => {
    const first = openDataFile(file);
    const link = join(folder, 'link.db');
    await symlink(file, link);
    expect(() => openDataFile(link)).toThrow(usage(/another process is using it\.$/));
    first.close();
    openDataFile(link).close();
  });

  test('gives back what its log grew by while a reader was slow', async () => {
    const database = openDataFile(file);
    const write = (name: string, bytes: number) =>
      database.prepare('INSERT INTO setting (name, value) VALUES (?, ?)').run(name, 'x'.repeat(bytes));
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('BEGIN; SELECT count(*) FROM setting');
    for (let index = 0; index < 20; index++) write(`large${index}`, 1024 * 1024);
    const grown = (await stat(`${file}-wal`)).size;
    reader.close();
    for (let index = 0; index < 3; index++) write(`small${index}`, 1);
    expect([grown > 20_000_000, (await stat(`${file}-wal`)).size <= 16 * 1024 * 1024]).toEqual([true, true]);
    database.close();
  });

  test('of another version is refused and not changed', async () => {
    openDataFile(file).close();
    writeWithSqlite('PRAGMA user_version = 99');
    const before = await readFile(file);
    expect(() => openDataFile(file)).toThrow(
      usage(/has tables of version 99; this version of the program reads version 1\.$/),
    );
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('of another program is refused and not changed', async () => {
    writeWithSqlite('CREATE TABLE theirs (x)');
    await chmod(file, 0o644);
    const before = await readFile(file);
    expect(() => openDataFile(file)).toThrow(usage(/belongs to another program\.$/));
    expect((await readFile(file)).equals(before)).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  test.each([
    ['has a page of zeros', /is damaged: .+\. Restore a backup\.$/, zeroPage],
    ['lost an alert from an index', /is damaged: row \d+ missing from index/, changeIndexEntry],
  ])('that %s is refused in one sentence', async (_, sentence, damage) => {
    const database = openDataFile(file);
    const add = database.prepare("INSERT INTO alert (scope_key, alert_key, is_active) VALUES ('s', ?, 0)");
    database.exec("BEGIN; INSERT INTO scope VALUES ('s')");
    for (let index = 0; index < 500; index++) add.run(`a${index}`);
    database.exec('COMMIT');
    database.close();
    await damage();
    expect(() => openDataFile(file)).toThrow(usage(sentence));
    expect(() => openDataFile(file)).toThrow(usage(/^[^\n]+$/));
  });

  test('of a killed service loses what its log has from a damaged byte on, without a message, as the page says', async () => {
    const database = openDataFile(file);
    for (const name of ['first', 'second', 'third']) database.exec(`INSERT INTO scope VALUES ('${name}')`);
    const log = await readFile(`${file}-wal`);
    const copy = join(folder, 'copy.db');
    await writeFile(copy, await readFile(file));
    database.close();
    log.write('S', log.indexOf('second'));
    await writeFile(`${copy}-wal`, log);
    const damaged = openDataFile(copy);
    expect(damaged.prepare('SELECT scope_key FROM scope').all()).toEqual([{ scope_key: 'first' }]);
    damaged.close();
  });
});
