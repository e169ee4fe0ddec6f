// A data file that cannot grow, as on a full disk: SQLite's limit of pages fails writes in the same way.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Clock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { storeAlert } from '../../../../src/service/alerts/alert-document.ts';
import { createSqliteAlertStore } from '../../../../src/service/alerts/sqlite-alert-store.ts';
import { openDataFile } from '../../../../src/service/database/data-file.ts';
import { watchDiskSpace } from '../../../../src/service/database/disk-space.ts';
import { guardSql, guardStore } from '../../../../src/service/database/guarded-store.ts';
import { createSqliteConnection } from '../../../../src/service/database/sqlite-connection.ts';

let folder = '';
let database: DatabaseSync;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-space-'));
  database = openDataFile(join(folder, 'state.db'));
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true });
});

/** The stores over the file, what was logged, and the timers, which fire when the test says so. */
function rig() {
  const messages: string[] = [];
  const timers: (() => void)[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    sink: { write: (line) => void messages.push((JSON.parse(line) as { msg: string }).msg) },
  });
  const setTimer = (_delayMs: number, callback: () => void) => {
    timers.push(callback);
    return { cancel: () => void timers.splice(timers.indexOf(callback), 1) };
  };
  const clock: Clock = { now: () => 0, monotonic: () => 0, setTimer };
  const connection = createSqliteConnection(database);
  const probe = () =>
    database.exec('UPDATE scope SET scope_key = scope_key; INSERT INTO scope VALUES (hex(zeroblob(9000)))');
  const space = watchDiskSpace(probe, { clock, log });
  const guarded = { file: '/d', onFailed: (error: unknown) => space.failed(error) };
  const store = guardStore(createSqliteAlertStore(connection), guarded);
  const fire = () => timers.splice(0).forEach((callback) => callback());
  return { space, store, sql: guardSql(connection.sql, guarded), messages, timers, fire };
}

const limitPages = (pages: number) => database.exec(`PRAGMA max_page_count = ${pages}`);
const large = { name: 'Large', properties: { filler: 'x'.repeat(50_000) } };
const largeAlert = storeAlert(large, 'Large', { scope: 's', providerNamespace: 'Vendor.Authorization', nowMs: 0 });
const [insert, longText] = ['INSERT INTO setting (name, value) VALUES ($1, $1)', 'x'.repeat(50_000)];
const full = { code: 'data-file-full', message: 'The disk of the data file /d is full.' };

describe('a disk without space', () => {
  test('fails a write in one sentence, without effect, and lets reads go on', async () => {
    const { store, space, messages } = rig();
    await store.addScope('s');
    limitPages(1);
    await expect((async () => store.putAlert('s', largeAlert))()).rejects.toMatchObject(full);
    expect(await store.readPage({ scope: 's', after: 0, limit: 10 })).toEqual({ text: '' });
    expect(space.isFull).toBe(true);
    expect(messages).toEqual(['disk of the data file is full: serving lists, refusing updates']);
  });

  test('fails the small tables, too, and is logged once', async () => {
    const { sql, messages } = rig();
    limitPages(1);
    await expect(sql.query(insert, [longText])).rejects.toMatchObject(full);
    await expect(sql.transaction((tx) => tx.query(insert, [longText]))).rejects.toMatchObject(full);
    expect(messages.length).toBe(1);
  });

  test('is over when a probe succeeds, and not before', async () => {
    const { store, space, messages, timers, fire } = rig();
    limitPages(1);
    await expect((async () => store.putAlert('s', largeAlert))()).rejects.toMatchObject(full);
    fire();
    await expect.poll(() => timers.length).toBe(1);
    expect(space.isFull).toBe(true);
    limitPages(100_000);
    fire();
    await expect.poll(() => space.isFull).toBe(false);
    expect(messages.at(-1)).toBe('disk of the data file has space again');
    expect(timers).toEqual([]);
    await store.putAlert('s', largeAlert);
  });

  test('is probed no longer once the service stops', async () => {
    const { sql, space, timers } = rig();
    limitPages(1);
    await expect(sql.query(insert, [longText])).rejects.toMatchObject(full);
    space.stop();
    expect(timers).toEqual([]);
  });
});

test('a failure for another reason is none of the disk', () => {
  const { space } = rig();
  space.failed(new Error('no'));
  expect(space.isFull).toBe(false);
});
