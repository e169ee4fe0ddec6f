// Failed logins, counted together by processes that share a database.
import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { createPostgresPool } from '../../src/service/postgres/postgres-pool.ts';
import { decodePostgresURL } from '../../src/service/postgres/postgres-url.ts';
import { createSharedAttemptCounters } from '../../src/service/postgres/shared-attempt-counters.ts';
import { handClock } from '../support/servers/alerts-service.ts';
import { newSchema, type PostgresAccess } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** The counters of two processes, without what each of them remembers (`oauth/closed-keys.ts`). */
async function openTwo(postgres: PostgresAccess) {
  const url = new SecretText(await newSchema(postgres));
  const deps = { clock: systemClock, log: silentLogger };
  const database = await openPostgres(url, deps);
  closes.push(() => database.close());
  const clock = handClock();
  const open = async () => {
    const pool = await createPostgresPool(await decodePostgresURL(url), deps);
    closes.push(() => pool.close());
    return createSharedAttemptCounters(pool, clock);
  };
  const rows = () => database.sql.query('SELECT key FROM attempt ORDER BY key');
  return { one: await open(), other: await open(), clock, rows };
}

const key = (name: string, bound = 3) => [{ key: name, bound }];

describeWithPostgres('the counters of failed logins', (postgres) => {
  test('close a key for all processes once it has as many failures as its bound', async () => {
    const { one, other } = await openTwo(postgres);
    expect([await one.count(key('a')), await other.count(key('a')), await other.isClosed(key('a'))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await one.count(key('a'))).toBe(true);
    expect([await one.isClosed(key('a')), await other.isClosed(key('a')), await other.count(key('a'))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('let no more failures through than the bound, however many come at the same time', async () => {
    const { one, other } = await openTwo(postgres);
    const counted = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => (index % 2 === 0 ? one : other).count(key('a', 7))),
    );
    expect(counted.filter(Boolean)).toHaveLength(7);
  });

  test('count several keys in any order without waiting for each other', async () => {
    const { one, other } = await openTwo(postgres);
    const keys = ['a', 'b', 'c'].flatMap((name) => key(name, 1000));
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        index % 2 === 0 ? one.count(keys) : other.count(keys.toReversed()),
      ),
    );
    expect([await one.isClosed(key('b', 40)), await one.isClosed(key('b', 41))]).toEqual([true, false]);
  });

  test('count nothing when one key of several has reached its bound', async () => {
    const { one, other } = await openTwo(postgres);
    await one.count(key('a', 1));
    expect(await other.count([...key('b', 1), ...key('a', 1)])).toBe(false);
    expect(await one.isClosed(key('b', 1))).toBe(false);
  });

  test('end a window a minute after its first failure, and delete its row later', async () => {
    const { one, other, clock, rows } = await openTwo(postgres);
    await one.count(key('a', 2));
    clock.advance(30_000);
    await other.count(key('a', 2));
    clock.advance(29_999);
    expect(await one.isClosed(key('a', 2))).toBe(true);
    clock.advance(1);
    expect(await one.isClosed(key('a', 2))).toBe(false);
    await one.count(key('b'));
    expect(await rows()).toEqual([{ key: 'b' }]);
    clock.advance(60_000);
    await one.count(key('b', 2));
    expect([await one.isClosed(key('b', 1)), await one.isClosed(key('b', 2))]).toEqual([true, false]);
  });

  test('end a window that a process began whose clock was far ahead', async () => {
    const { one, clock } = await openTwo(postgres);
    clock.advance(86_400_000);
    await one.count(key('a', 1));
    expect(await one.isClosed(key('a', 1))).toBe(true);
    clock.advance(-59_999);
    expect(await one.isClosed(key('a', 1))).toBe(true);
    clock.advance(-1);
    expect(await one.isClosed(key('a', 1))).toBe(false);
    await one.count(key('a', 2));
    expect([await one.isClosed(key('a', 2)), await one.isClosed(key('a', 1))]).toEqual([false, true]);
  });

  test('no longer count failures that are taken back, or forgotten', async () => {
    const { one, other } = await openTwo(postgres);
    for (let failure = 0; failure < 3; failure++) await one.count([...key('a'), ...key('b')]);
    await other.takeBack(['a', 'never counted']);
    await other.forget('b');
    expect([await one.isClosed(key('a')), await one.isClosed(key('a', 2)), await one.isClosed(key('b', 1))]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
