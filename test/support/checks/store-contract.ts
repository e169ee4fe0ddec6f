// What every database of the service has to do, as a suite over "how to open it", each time an empty one.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { StoredAlert } from '../../../src/service/alerts/alert-document.ts';
import type { ActiveChange, AlertOperations, StoredPage } from '../../../src/service/alerts/alert-store.ts';
import type { Database } from '../../../src/service/database/database.ts';
import { addScannedScope, listScannedScopes, removeScannedScope } from '../../../src/service/scanner/scanned-scopes.ts';

/** Opens the database, each time with the state that it had. The suite closes it. */
type OpenDatabase = () => Promise<Database>;

const stored = (name: string, isActive = false, systemData: string | null = null): StoredAlert => ({
  name,
  isActive,
  systemData,
  members: `"name":"${name}"`,
  properties: '"incidentCount":0,"alertIncidents":[]',
});
const modifier = { by: 'ada', byType: 'User', atMs: Date.UTC(2026, 0, 1) } as const;
const turn = (alertName: string, isActive = true, scope = 's'): ActiveChange => ({
  scope,
  alertName,
  isActive,
  modifier,
});
const names = (page: StoredPage | undefined) =>
  (JSON.parse(`[${page?.text ?? ''}]`) as { name: string }[]).map(({ name }) => name);
const read = async (store: AlertOperations, name: string, scope = 's') =>
  JSON.parse((await store.readAlert(scope, name)) ?? 'null') as Record<string, unknown> | null;
const isActive = async (store: AlertOperations, name: string) =>
  ((await read(store, name))?.['properties'] as { isActive: boolean } | undefined)?.isActive;

export function describeStore(name: string, newPlace: () => Promise<OpenDatabase>): void {
  describe(`the store in ${name}`, () => {
    let open: OpenDatabase;
    let database: Database;
    beforeEach(async () => {
      open = await newPlace();
      database = await open();
    });
    afterEach(async () => database.close());
    const reopen = async () => {
      await database.close();
      database = await open();
    };
    /** Puts inactive alerts into the scope s. */
    const put = async (...alerts: readonly string[]) => {
      for (const name of alerts) await database.alerts.putAlert('s', stored(name));
    };
    const page = (after = 0, limit = 10) => database.alerts.readPage({ scope: 's', after, limit });

    describe('lists', () => {
      test('nothing of an unknown scope, and an empty page of a scope without alerts', async () => {
        const { alerts } = database;
        expect([await alerts.isEmpty(), await page()]).toEqual([true, undefined]);
        await alerts.addScope('S');
        await alerts.addScope('s');
        expect([await alerts.isEmpty(), await page()]).toEqual([false, { text: '' }]);
      });

      test('the alerts in pages, in the order in which they were first stored', async () => {
        await put('c', 'a', 'b', 'd');
        await database.alerts.putAlert('other', stored('e'));
        await put('a');
        const first = await page(0, 2);
        const second = await page(first?.lastPosition, 2);
        expect([names(first), names(second), second?.lastPosition]).toEqual([['c', 'a'], ['b', 'd'], undefined]);
        expect(await page(first?.lastPosition, 1)).toHaveProperty('lastPosition');
      });

      test('an alert that was removed and added again at the end, and continues behind a removed one', async () => {
        await put('a', 'b', 'c');
        const first = await page(0, 1);
        await database.alerts.removeAlert('s', 'A');
        await put('a');
        expect(names(await page(first?.lastPosition))).toEqual(['b', 'c', 'a']);
        expect(names(await page())).toEqual(['b', 'c', 'a']);
      });

      test.each<[string, (store: AlertOperations) => unknown]>([
        ['an update', (store) => store.changeActive(turn('a'))],
        ['an added alert', (store) => store.putAlert('S', stored('b'))],
        ['a replaced alert', (store) => store.putAlert('S', stored('A', true))],
        ['a removed alert', (store) => store.removeAlert('S', 'A')],
        ['a scan', (store) => store.replaceIncidents('S', 'A', [{}], 0)],
      ])('no page from before %s', async (_, write) => {
        await put('a');
        for (const inTransaction of [false, true]) {
          for (let asked = 0; asked < 3; asked++) await page();
          const before = await page();
          const { alerts } = database;
          // Another list of the same page while the write is under way must not bring the old one back.
          const writing = inTransaction ? alerts.transaction((tx) => Promise.resolve(write(tx))) : write(alerts);
          const meanwhile = [0, 1].map(async () => page());
          await writing;
          const after = await page();
          expect(after).not.toEqual(before);
          await Promise.all(meanwhile);
          for (let asked = 0; asked < 3; asked++) expect(await page()).toEqual(after);
          await alerts.removeAlert('s', 'b');
          await alerts.removeAlert('s', 'a');
          await put('a');
        }
      });
    });

    describe('keeps', () => {
      test('an alert as its text, whatever the case of its scope and name', async () => {
        await database.alerts.putAlert('S/Ümlaut', stored('Alert', true, '{"createdBy":"x"}'));
        expect(await database.alerts.readAlert('s/Ümlaut', 'ALERT')).toBe(
          '{"name":"Alert","systemData":{"createdBy":"x"},"properties":{"isActive":true,"incidentCount":0,"alertIncidents":[]}}',
        );
        expect(await database.alerts.readAlert('s/Ümlaut', 'other')).toBeUndefined();
      });

      test('the last of two alerts of one name', async () => {
        await put('a');
        await database.alerts.putAlert('s', { ...stored('A', true), members: '"name":"A","more":1' });
        expect(await read(database.alerts, 'a')).toMatchObject({ name: 'A', more: 1, properties: { isActive: true } });
        expect(await database.alerts.countAlerts()).toEqual({ active: 1, inactive: 0 });
      });

      test('everything when it is opened again', async () => {
        await put('a', 'b');
        await database.alerts.changeActive(turn('b'));
        await addScannedScope(database.sql, 's');
        const before = await page();
        await reopen();
        expect(await page()).toEqual(before);
        expect(await listScannedScopes(database.sql)).toEqual(['s']);
        expect(await database.alerts.countAlerts()).toEqual({ active: 1, inactive: 1 });
      });
    });

    describe('changes', () => {
      test('a flag, and systemData only when the flag changes', async () => {
        await database.alerts.putAlert('s', stored('a', false, '{"createdBy":"x","lastModifiedBy":"y"}'));
        expect(await database.alerts.changeActive(turn('A', false, 'S'))).toBe('unchanged');
        expect(await read(database.alerts, 'a')).toMatchObject({ systemData: { lastModifiedBy: 'y' } });
        expect(await database.alerts.changeActive(turn('A', true, 'S'))).toBe('changed');
        expect(await read(database.alerts, 'a')).toMatchObject({
          systemData: { createdBy: 'x', lastModifiedBy: 'ada', lastModifiedAt: '2026-01-01T00:00:00.000Z' },
          properties: { isActive: true },
        });
      });

      test('each of many flags at the same time, with an outcome for each', async () => {
        const all = Array.from({ length: 50 }, (_, index) => `a${index}`);
        await put(...all);
        const { alerts } = database;
        const outcomes = await Promise.all([
          ...all.map((name) => alerts.changeActive(turn(name))),
          alerts.changeActive(turn('none')),
          alerts.changeActive(turn('a0', true, 'none')),
        ]);
        expect(outcomes).toEqual([...all.map(() => 'changed'), 'alert-unknown', 'scope-unknown']);
        expect(await alerts.countAlerts()).toEqual({ active: 50, inactive: 0 });
      });

      test('one flag once when many turn it the same way at the same time', async () => {
        await put('a');
        const turns = Array.from({ length: 20 }, async () => database.alerts.changeActive(turn('a')));
        const outcomes = await Promise.all(turns);
        expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(1);
        expect(outcomes.filter((outcome) => outcome === 'unchanged')).toHaveLength(19);
      });

      test('the others when one update of many fails', async () => {
        await put('a', 'b');
        await database.alerts.putAlert('s', stored('broken', false, 'not JSON'));
        const turns = ['a', 'broken', 'b'].map(async (name) => database.alerts.changeActive(turn(name)));
        const outcomes = await Promise.allSettled(turns);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect([await isActive(database.alerts, 'a'), await isActive(database.alerts, 'b')]).toEqual([true, true]);
      });

      test('the incidents of an alert that exists', async () => {
        await put('a');
        expect(await database.alerts.replaceIncidents('S', 'A', [{ name: 'i' }], 0)).toBe(true);
        expect(await database.alerts.replaceIncidents('s', 'none', [], 0)).toBe(false);
        expect(await read(database.alerts, 'a')).toMatchObject({
          properties: { isActive: false, incidentCount: 1, alertIncidents: [{ name: 'i' }] },
        });
      });
    });

    describe('in a transaction', () => {
      test('does everything, and returns what its work returns', async () => {
        const result = await database.alerts.transaction(async (tx) => {
          await tx.putAlert('s', stored('a'));
          await addScannedScope(tx.sql, 's');
          return tx.changeActive(turn('a'));
        });
        expect([result, await isActive(database.alerts, 'a')]).toEqual(['changed', true]);
        expect(await listScannedScopes(database.sql)).toEqual(['s']);
      });

      test('that fails does nothing, of the alerts and of the small tables', async () => {
        await put('a');
        const failing = async () =>
          database.alerts.transaction(async (tx) => {
            await tx.changeActive(turn('a'));
            await tx.putAlert('t', stored('b'));
            await addScannedScope(tx.sql, 't');
            throw new Error('no');
          });
        await expect(failing()).rejects.toThrow('no');
        expect([await isActive(database.alerts, 'a'), await read(database.alerts, 'b', 't')]).toEqual([false, null]);
        expect(await listScannedScopes(database.sql)).toEqual([]);
      });

      test('that fails shows nothing of it to others meanwhile', async () => {
        const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const failing = (async () =>
          database.alerts.transaction(async (tx) => {
            await tx.putAlert('s', stored('a'));
            begun.resolve();
            await end.promise;
            throw new Error('no');
          }))();
        await begun.promise;
        const seen = Promise.all([read(database.alerts, 'a'), listScannedScopes(database.sql), page()]);
        end.resolve();
        await expect(failing).rejects.toThrow('no');
        expect(await seen).toEqual([null, [], undefined]);
      });
    });

    describe('as SQL', () => {
      test('returns the rows of RETURNING, and none where a row was there', async () => {
        const insert = `INSERT INTO used_assertion (client_id, jti, ends_at_s) VALUES ($1, $2, $3)
          ON CONFLICT DO NOTHING RETURNING jti`;
        const runs = [0, 1].map(() => database.sql.query(insert, ['c', 'j', 1]));
        const rows = await Promise.all(runs);
        expect(rows.flat()).toEqual([{ jti: 'j' }]);
      });

      test('returns counts and times as numbers', async () => {
        const add = 'INSERT INTO signing_key (id, jwk, created_at_ms) VALUES ($1, $2, $3)';
        await database.sql.query(add, ['k', '{}', Date.UTC(2999, 0)]);
        expect(await database.sql.query('SELECT count(*) AS n, max(created_at_ms) AS "atMs" FROM signing_key')).toEqual(
          [{ n: 1, atMs: Date.UTC(2999, 0) }],
        );
      });

      test('rejects a statement that is wrong, and continues', async () => {
        await expect(database.sql.query('SELECT * FROM nowhere')).rejects.toThrow(/nowhere/);
        expect(await listScannedScopes(database.sql)).toEqual([]);
      });
    });

    describe('for its small tables', () => {
      test('keeps scanned scopes once, in canonical form, until they are removed', async () => {
        for (const scope of ['S', 's', 't']) await addScannedScope(database.sql, scope);
        expect((await listScannedScopes(database.sql)).toSorted()).toEqual(['s', 't']);
        await removeScannedScope(database.sql, 'S');
        expect(await listScannedScopes(database.sql)).toEqual(['t']);
      });
    });
  });
}
