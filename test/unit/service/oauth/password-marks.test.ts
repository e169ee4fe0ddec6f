import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import type { DeriveKey } from '../../../../src/service/oauth/password-check.ts';
import { createPasswordMarks } from '../../../../src/service/oauth/password-marks.ts';

const ada = { name: 'ada', password: new SecretText('enchantress') };

function rig() {
  const { sql } = openDatabase(undefined);
  const derived = { now: 0, most: 0, all: 0 };
  let isFailing = false;
  const derive: DeriveKey = async (password, { salt }) => {
    derived.all += 1;
    derived.now += 1;
    derived.most = Math.max(derived.most, derived.now);
    await Promise.resolve();
    derived.now -= 1;
    if (isFailing) throw new Error('no memory');
    return Buffer.concat([salt, Buffer.from(password)]);
  };
  return {
    sql,
    derived,
    newMarks: () => createPasswordMarks(sql, derive),
    fail: (does: boolean) => (isFailing = does),
  };
}

test('a password has one mark in all processes of a database, and another one in another database', async () => {
  const [one, other] = [rig(), rig()];
  const mark = await one.newMarks()(ada);
  expect(await one.newMarks()({ ...ada })).toBe(mark);
  expect(await other.newMarks()(ada)).not.toBe(mark);
  expect(await one.newMarks()({ ...ada, password: new SecretText('Enchantress') })).not.toBe(mark);
});

test('marks are derived one at a time, and once for a registration', async () => {
  const { newMarks, derived } = rig();
  const markOf = newMarks();
  const users = Array.from({ length: 5 }, () => ({ ...ada }));
  await Promise.all([...users, ...users].map((user) => markOf(user)));
  expect(derived).toEqual({ now: 0, most: 1, all: 5 });
});

test('a mark that could not be made is made at the next time, and others meanwhile', async () => {
  const { newMarks, fail } = rig();
  const markOf = newMarks();
  fail(true);
  await expect(markOf(ada)).rejects.toThrow('no memory');
  fail(false);
  expect(await markOf({ ...ada })).toBe(await markOf(ada));
});

test('the mark of a hash costs nothing and differs by its salt', async () => {
  const { newMarks, derived } = rig();
  const cost = { ln: 14, r: 8, p: 5 };
  const hashed = (salt: number) => ({ cost, salt: new Uint8Array(16).fill(salt), key: new Uint8Array(32) });
  const markOf = newMarks();
  const marks = [1, 1, 2].map((salt) => markOf({ name: 'ada', passwordHash: hashed(salt) }));
  const [first, same, other] = await Promise.all(marks);
  expect([first === same, first === other, derived.all]).toEqual([true, false, 0]);
});
