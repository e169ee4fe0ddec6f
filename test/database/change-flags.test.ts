// Updates that share a batch on PostgreSQL: when another process changes an alert between the read and the write of the batch, only that
// alert is read again, and changes of one alert apply in their order. The answers and the audit trail show what has happened.
import { afterEach, beforeEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import type { ActiveChange } from '../../src/service/alerts/alert-store.ts';
import type { Database } from '../../src/service/database/database.ts';
import { alertTexts } from '../../src/service/postgres/alert-texts.ts';
import { changeFlags } from '../../src/service/postgres/change-flags.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import {
  createPostgresPool,
  type PostgresPool,
  type PostgresQueries,
} from '../../src/service/postgres/postgres-pool.ts';
import { decodePostgresURL } from '../../src/service/postgres/postgres-url.ts';
import { newSchema } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const deps = { clock: systemClock, log: silentLogger };
const names = ['A', 'B', 'C', 'D'];

const change = (alertName: string, isActive: boolean, by: string): ActiveChange => ({
  scope: 's',
  alertName,
  isActive,
  modifier: { by, byType: 'User', atMs: 1000 },
  cause: { action: 'update', actorType: 'user', actor: by },
});

describeWithPostgres('a batch of updates', (postgres) => {
  let database: Database;
  let pool: PostgresPool;
  beforeEach(async () => {
    const url = new SecretText(await newSchema(postgres));
    database = await openPostgres(url, deps);
    pool = await createPostgresPool(decodePostgresURL(url), deps);
    const rest = { isActive: true, systemData: null, properties: '"x":1' };
    for (const name of names) await database.alerts.putAlert('s', { ...rest, name, members: `"name":"${name}"` });
  });
  afterEach(async () => {
    await pool.close();
    await database.close();
  });

  /** Runs each of the given works before one write of a batch, in their order; `written` has the number of alerts of each write. */
  function interrupted(...works: (() => Promise<unknown>)[]) {
    const written: number[] = [];
    const queries: PostgresQueries = {
      async query(text, parameters = []) {
        if (text === alertTexts.setFlags) {
          written.push((parameters[0] as readonly unknown[]).length);
          await works.shift()?.();
        }
        return pool.query(text, parameters);
      },
    };
    return { queries, written };
  }

  const outcomesOf = async (queries: PostgresQueries, changes: readonly ActiveChange[]) =>
    (await changeFlags(queries, changes)).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'));

  /** The flag of an alert, and who changed it last. */
  async function stateOf(name: string): Promise<readonly unknown[]> {
    const { properties, systemData } = JSON.parse((await database.alerts.readAlert('s', name)) ?? '{}') as {
      properties: { isActive: boolean };
      systemData?: { lastModifiedBy: string };
    };
    return [properties.isActive, systemData?.lastModifiedBy];
  }

  /** Alert, actor, the flag before and after of each record, in their order. */
  async function records(): Promise<readonly unknown[]> {
    const rows = await pool.query('SELECT alert_key, actor, was_active, is_active FROM audit ORDER BY id');
    return rows.map((row) => [row['alert_key'], row['actor'], row['was_active'], row['is_active']].join(' '));
  }

  test('is repeated only for the alert that another process has changed meanwhile', async () => {
    const { queries, written } = interrupted(() => changeFlags(pool, [change('B', false, 'other')]));
    const changes = [change('A', false, 'ada'), change('B', true, 'ada'), change('B', false, 'ada')];
    // Without the other process, the first change of B would find it active.
    expect(await outcomesOf(queries, [...changes, change('C', false, 'ada')])).toEqual([
      'changed',
      'changed',
      'changed',
      'changed',
    ]);
    expect(written).toEqual([3, 1]);
    expect([await stateOf('A'), await stateOf('B'), await stateOf('C')]).toEqual([
      [false, 'ada'],
      [false, 'ada'],
      [false, 'ada'],
    ]);
    expect(await records()).toEqual(['b other 1 0', 'a ada 1 0', 'c ada 1 0', 'b ada 0 1', 'b ada 1 0']);
  });

  test('answers that nothing has changed, and records nothing, when another process has set the same flag meanwhile', async () => {
    const { queries, written } = interrupted(() => changeFlags(pool, [change('B', false, 'other')]));
    const changes = [change('A', false, 'ada'), change('B', false, 'ada')];
    expect(await outcomesOf(queries, changes)).toEqual(['changed', 'unchanged']);
    expect(written).toEqual([2]);
    expect([await stateOf('A'), await stateOf('B')]).toEqual([
      [false, 'ada'],
      [false, 'other'],
    ]);
    expect(await records()).toEqual(['b other 1 0', 'a ada 1 0']);
  });

  test('finds an alert that was removed meanwhile unknown, and applies the rest', async () => {
    const { queries } = interrupted(async () => database.alerts.removeAlert('s', 'B'));
    const changes = [change('A', false, 'ada'), change('B', false, 'ada')];
    expect(await outcomesOf(queries, changes)).toEqual(['changed', 'alert-unknown']);
    expect(await records()).toEqual(['a ada 1 0']);
  });

  test('applies two changes of one alert in their order, each with its answer and its record', async () => {
    const { queries, written } = interrupted();
    const changes = [
      change('A', false, 'ada'),
      change('A', false, 'bob'),
      change('A', true, 'cyd'),
      change('D', true, 'ada'),
      change('a', true, 'dan'),
    ];
    expect(await outcomesOf(queries, changes)).toEqual(['changed', 'unchanged', 'changed', 'unchanged', 'unchanged']);
    expect(written).toEqual([1]);
    expect([await stateOf('A'), await stateOf('D')]).toEqual([
      [true, 'cyd'],
      [true, undefined],
    ]);
    expect(await records()).toEqual(['a ada 1 0', 'a cyd 0 1']);
  });
});
