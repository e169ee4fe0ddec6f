// Several callers on one connection: what a transaction leaves, and who waits for whom.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import { openDataFile } from '../../../../src/service/database/data-file.ts';
import { createSqliteConnection } from '../../../../src/service/database/sqlite-connection.ts';

function rig() {
  const database = openDataFile(undefined);
  const connection = createSqliteConnection(database);
  const add = (scope: string) => database.exec(`INSERT INTO scope VALUES ('${scope}')`);
  const scopes = () =>
    database
      .prepare('SELECT scope_key FROM scope ORDER BY 1')
      .all()
      .map((row) => row['scope_key']);
  return { ...connection, add, scopes };
}

describe('a transaction', () => {
  test('is committed at once when its work does not wait', () => {
    const { transaction, database, add } = rig();
    expect(transaction(() => add('s'))).toBeUndefined();
    expect(database.isTransaction).toBe(false);
  });

  test('that waits lets nothing else in before its end, and keeps the order of those who wait', async () => {
    const { transaction, takeTurn, sql, add, scopes } = rig();
    const seen: unknown[] = [];
    const first = transaction(async () => {
      add('a');
      await nextTurn();
      add('b');
    });
    const second = takeTurn(() => void seen.push(scopes()));
    const third = transaction(() => add('c'));
    const fourth = sql.query('SELECT scope_key FROM scope');
    expect(seen).toEqual([]);
    await Promise.all([first, second, third]);
    expect(seen).toEqual([['a', 'b']]);
    expect(await fourth).toEqual([{ scope_key: 'a' }, { scope_key: 'b' }, { scope_key: 'c' }]);
    expect(takeTurn(() => 'at once')).toBe('at once');
  });
});

describe('a query', () => {
  test('takes numbered parameters, also in another order and repeated', async () => {
    const { sql } = rig();
    expect(await sql.query('SELECT $2 AS b, $1 AS a, $2 AS "b2"', [1, 'x'])).toEqual([{ b: 'x', a: 1, b2: 'x' }]);
  });

  test('refuses a parameter that its text does not use', async () => {
    await expect(rig().sql.query('SELECT $1 AS a', [1, 2])).rejects.toThrow(/\$2/);
  });

  test('refuses a fraction, as a column of PostgreSQL does', async () => {
    await expect(rig().sql.query('SELECT $1 AS a', [1.5])).rejects.toThrow(RangeError);
  });
});
