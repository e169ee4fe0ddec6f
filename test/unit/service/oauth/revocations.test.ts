import { expect, test } from 'vitest';

import { openDatabase } from '../../../../src/service/database/open-database.ts';
import type { Sql } from '../../../../src/service/database/sql.ts';
import { openRevocations } from '../../../../src/service/oauth/revocations.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

async function start() {
  const clock = handClock();
  const { sql } = openDatabase(undefined);
  const open = (isShared: boolean) => openRevocations({ sql, tokenLifetimeMs: 60_000, isShared, clock });
  return { clock, sql, one: await open(true), other: await open(true), alone: await open(false) };
}

test('a revocation by another process is in force two seconds later', async () => {
  const { clock, one, other } = await start();
  await one.revoke('id');
  expect([one.isRevoked('id'), other.isRevoked('id')]).toEqual([true, false]);
  expect(other.refresh()).toBeUndefined();
  clock.advance(2000);
  await other.refresh();
  expect([other.isRevoked('another', 'id'), other.isRevoked('another', undefined)]).toEqual([true, false]);
  expect(other.refresh()).toBeUndefined();
});

test('requests that come while the table is read share one reading', async () => {
  const { clock, other } = await start();
  clock.advance(2000);
  expect(other.refresh()).toBe(other.refresh());
});

test('a reading that fails refuses its request and each one after it, until the table is read', async () => {
  const { clock, sql, one } = await start();
  let isAway = false;
  const sometimes: Sql = {
    ...sql,
    query: (...statement) => (isAway ? Promise.reject(new Error('away')) : sql.query(...statement)),
  };
  const other = await openRevocations({ sql: sometimes, tokenLifetimeMs: 60_000, isShared: true, clock });
  await one.revoke('id');
  isAway = true;
  clock.advance(2000);
  await expect(other.refresh()).rejects.toThrow('away');
  await expect(other.refresh()).rejects.toThrow('away');
  isAway = false;
  await other.refresh();
  expect(other.isRevoked('id')).toBe(true);
});

test('a revocation that another process records late, with an earlier time, is not missed', async () => {
  const { clock, sql, other } = await start();
  clock.advance(200_000);
  await other.refresh();
  const late = clock.now() - 100_000;
  await sql.query('INSERT INTO revoked_token (id, revoked_at_ms, ends_at_ms) VALUES ($1, $2, $3)', [
    'late',
    late,
    clock.now() + 60_000,
  ]);
  clock.advance(2000);
  await other.refresh();
  expect(other.isRevoked('late')).toBe(true);
});

test('it is forgotten when no token that it concerns can be valid', async () => {
  const { clock, sql, one } = await start();
  await one.revoke('id');
  clock.advance(60_000);
  await one.refresh();
  expect(one.isRevoked('id')).toBe(true);
  clock.advance(120_000);
  await one.refresh();
  await one.revoke('other');
  expect(one.isRevoked('id')).toBe(false);
  expect(await sql.query('SELECT id FROM revoked_token')).toEqual([{ id: 'other' }]);
});

test('a process that owns its database never reads the table again, and forgets as well', async () => {
  const { clock, alone } = await start();
  await alone.revoke('id');
  clock.advance(180_000);
  expect([alone.refresh(), alone.isRevoked('id')]).toEqual([undefined, true]);
  await alone.revoke('other');
  expect([alone.isRevoked('id'), alone.isRevoked('other')]).toEqual([false, true]);
});

test('does not visit all of those in force', async () => {
  const { clock, sql } = await start();
  const inForce = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 30000)
    INSERT INTO revoked_token (id, revoked_at_ms, ends_at_ms) SELECT 'token' || n, $1, $2 FROM numbers`;
  await sql.query(inForce, [clock.now(), clock.now() + 60_000]);
  const revocations = await openRevocations({ sql, tokenLifetimeMs: 60_000, isShared: false, clock });
  expect(revocations.isRevoked('token30000')).toBe(true);
  const beganMs = performance.now();
  for (let index = 0; index < 1000; index++) await revocations.revoke(`another${index}`);
  // Two seconds or more if each visits the others, and some hundredths of it otherwise.
  expect(performance.now() - beganMs).toBeLessThan(500);
});
