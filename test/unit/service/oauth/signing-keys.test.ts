import { describe, expect, test } from 'vitest';

import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { openSigningKeys } from '../../../../src/service/oauth/keys/signing-keys.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const dayMs = 86_400_000;

test('a key signs for a month, is published until its last token has ended, and then is gone', async () => {
  const clock = handClock();
  const { sql } = openDatabase(undefined);
  const keys = await openSigningKeys(sql, clock);
  const first = await keys.current();
  clock.advance(30 * dayMs - 1);
  expect((await keys.current()).id).toBe(first.id);
  clock.advance(1);
  const second = await keys.current();
  expect(second.id).not.toBe(first.id);
  expect((await keys.publicSet()).keys.map(({ kid }) => kid)).toEqual([first.id, second.id]);
  expect((await keys.find(first.id))?.id).toBe(first.id);
  clock.advance(2 * dayMs - 1);
  expect((await keys.find(first.id))?.id).toBe(first.id);
  clock.advance(1);
  expect(await keys.find(first.id)).toBeUndefined();
  expect((await keys.publicSet()).keys.map(({ kid }) => kid)).toEqual([second.id]);
  clock.advance(30 * dayMs);
  await keys.current();
  expect(await sql.query('SELECT count(*) AS n FROM signing_key')).toEqual([{ n: 1 }]);
});

test('keys come back with the data file, and only their public parts are published', async () => {
  const { sql } = openDatabase(undefined);
  const first = await (await openSigningKeys(sql, handClock())).current();
  const again = await openSigningKeys(sql, handClock());
  expect((await again.current()).id).toBe(first.id);
  expect((await again.publicSet()).keys).toEqual([
    { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String), kid: first.id, alg: 'ES256', use: 'sig' },
  ]);
});

test.each([
  ['is another point', 'UPDATE signing_key SET jwk = replace(jwk, \'"x":"\', \'"x":"AAAA\')'],
  ['has another id', "UPDATE signing_key SET id = substr(id, 1, 42) || '_x'"],
])('a stored key that %s is refused in one sentence without the key', async (_, change) => {
  const { sql } = openDatabase(undefined);
  await (await openSigningKeys(sql, handClock())).current();
  await sql.query(change);
  const message = expect.stringMatching(
    /^The store is damaged in the signing key [\w-]+\. Restore a backup\.$/,
  ) as string;
  await expect(openSigningKeys(sql, handClock())).rejects.toMatchObject({ code: 'data-file-damaged', message });
});

describe('several processes with one database', () => {
  const open = async () => {
    const { sql } = openDatabase(undefined);
    const clock = handClock();
    return { clock, one: await openSigningKeys(sql, clock), other: await openSigningKeys(sql, clock) };
  };

  test('sign with one key, also when both need a new one at the same time', async () => {
    const { clock, one, other } = await open();
    const [first, same] = await Promise.all([one.current(), other.current()]);
    expect(same.id).toBe(first.id);
    clock.advance(30 * dayMs);
    const second = await other.current();
    expect(second.id).not.toBe(first.id);
    expect((await one.current()).id).toBe(second.id);
  });
});

test('the published keys ask the database at most every five seconds, and then have the key of another process', async () => {
  const clock = handClock();
  const { sql } = openDatabase(undefined);
  let queries = 0;
  const counting = { ...sql, query: (...given: Parameters<typeof sql.query>) => ((queries += 1), sql.query(...given)) };
  const keys = await openSigningKeys(counting, clock);
  const { id } = await (await openSigningKeys(sql, clock)).current();
  queries = 0;
  clock.advance(4999);
  for (let asked = 0; asked < 3; asked++) expect((await keys.publicSet()).keys).toEqual([]);
  expect(queries).toBe(0);
  clock.advance(1);
  const published = await Promise.all([keys.publicSet(), keys.publicSet()]);
  expect(published.map((set) => set.keys.map(({ kid }) => kid))).toEqual([[id], [id]]);
  expect(queries).toBe(1);
});
