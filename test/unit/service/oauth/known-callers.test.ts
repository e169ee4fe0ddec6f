import { expect, test } from 'vitest';

import { silentLogger, type Logger } from '../../../../src/lib/log.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import type { Sql } from '../../../../src/service/database/sql.ts';
import { openKnownCallers } from '../../../../src/service/oauth/known-callers.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const day = 86_400_000;

async function start() {
  const clock = handClock();
  const { sql } = openDatabase(undefined);
  const open = (isShared = false) => openKnownCallers({ sql, isShared, clock, log: silentLogger });
  const rows = () => sql.query('SELECT key, at_ms FROM known_caller ORDER BY key');
  return { clock, sql, open, rows };
}

test('a caller is known from its success on, also after a restart', async () => {
  const { open } = await start();
  const before = await open();
  await before.add('ada');
  const after = await open();
  expect([before.has('ada'), after.has('ada'), after.has('bob')]).toEqual([true, true, false]);
});

test('a caller is known to another process two seconds later, and to a single process without a question', async () => {
  const { clock, open } = await start();
  const [one, other, alone] = [await open(true), await open(true), await open()];
  await one.add('ada');
  expect(other.refresh()).toBeUndefined();
  clock.advance(2000);
  const reading = other.refresh();
  expect(other.refresh()).toBe(reading);
  await reading;
  expect([other.has('ada'), other.refresh(), alone.refresh()]).toEqual([true, undefined, undefined]);
});

test('a success that another process records late, with an earlier time, is not missed', async () => {
  const { clock, sql, open } = await start();
  const other = await open(true);
  clock.advance(200_000);
  await other.refresh();
  await sql.query('INSERT INTO known_caller (key, at_ms) VALUES ($1, $2)', ['late', clock.now() - 100_000]);
  clock.advance(2000);
  await other.refresh();
  expect(other.has('late')).toBe(true);
});

test('a caller is forgotten 30 days after its last success, of which each day has one written', async () => {
  const { clock, open, rows } = await start();
  const known = await open();
  await known.add('ada');
  await known.add('bob');
  const [{ at_ms: firstMs } = {}] = await rows();
  clock.advance(day - 1);
  await known.add('ada');
  expect(await rows()).toMatchObject([{ key: 'ada', at_ms: firstMs }, { key: 'bob' }]);
  clock.advance(1);
  await known.add('ada');
  expect(await rows()).toMatchObject([{ key: 'ada', at_ms: Number(firstMs) + day }, { key: 'bob' }]);
  clock.advance(29 * day - 1);
  expect([known.has('ada'), known.has('bob')]).toEqual([true, true]);
  clock.advance(1);
  expect([known.has('ada'), known.has('bob'), (await open()).has('bob')]).toEqual([true, false, false]);
  await known.add('cyd');
  expect((await rows()).map(({ key }) => key)).toEqual(['ada', 'cyd']);
});

test('ten thousand are known, the most recent ones', async () => {
  const { clock, open } = await start();
  const known = await open();
  await known.add('first');
  await known.add('second');
  clock.advance(day);
  await known.add('first');
  for (let each = 0; each < 9999; each++) await known.add(`other-${each}`);
  const again = await open();
  expect([known.has('first'), known.has('second'), again.has('first'), again.has('second')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('a database that cannot write refuses no caller', async () => {
  const { clock } = await start();
  const full: Sql = {
    query: (text) => (text.startsWith('SELECT') ? Promise.resolve([]) : Promise.reject(new Error('full'))),
    transaction: () => Promise.reject(new Error('full')),
  };
  const known = await openKnownCallers({ sql: full, isShared: false, clock, log: silentLogger });
  await known.add('ada');
  expect(known.has('ada')).toBe(true);
});

test('a caller that is in use outlives 10,000 new ones', async () => {
  const { open } = await start();
  const known = await open();
  await known.add('ada');
  await known.add('bob');
  for (let each = 0; each < 9_999; each++) {
    void known.add(`mallory ${each}`);
    void known.add('ada');
  }
  expect([known.has('ada'), known.has('bob')]).toEqual([true, false]);
});

test('a reading that fails is logged, and neither an attempt nor a later reading fails with it', async () => {
  const { clock, sql, open } = await start();
  const logged: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_fields, message) => void logged.push(message) };
  let isAway = false;
  const sometimes: Sql = {
    ...sql,
    query: (...statement) => (isAway ? Promise.reject(new Error('away')) : sql.query(...statement)),
  };
  const [one, other] = [await open(true), await openKnownCallers({ sql: sometimes, isShared: true, clock, log })];
  await one.add('ada');
  isAway = true;
  clock.advance(2000);
  await other.refresh();
  expect([other.has('ada'), other.refresh(), logged]).toEqual([
    false,
    undefined,
    ['callers that succeeded in other processes not read'],
  ]);
  isAway = false;
  clock.advance(200_000);
  await other.refresh();
  expect(other.has('ada')).toBe(true);
});
