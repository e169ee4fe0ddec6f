// The order of commit and answer in SQLite, over a connection that records its transactions.
import { describe, expect, test } from 'vitest';

import { createSqliteAlertStore } from '../../../src/service/alerts/sqlite-alert-store.ts';
import { openDataFile } from '../../../src/service/database/data-file.ts';
import { createSqliteConnection, type SqliteConnection } from '../../../src/service/database/sqlite-connection.ts';

const stored = (name: string) => ({ name, isActive: false, systemData: null, members: '"a":1', properties: '"b":1' });
const turnOn = (alertName: string) => ({
  scope: 's',
  alertName,
  isActive: true,
  modifier: { by: 'b', byType: 'User', atMs: 0 } as const,
});

/** `beforeCommit` runs in each transaction after its work. */
async function rig(beforeCommit: (connection: SqliteConnection) => void = () => undefined) {
  const connection = createSqliteConnection(openDataFile(undefined));
  const happened: string[] = [];
  const store = createSqliteAlertStore({
    ...connection,
    transaction: (work) => {
      const result = connection.transaction(() => {
        const done = work();
        beforeCommit(connection);
        return done;
      });
      happened.push('committed');
      return result;
    },
  });
  const plain = createSqliteAlertStore(connection);
  for (const name of ['a', 'b', 'c']) await plain.putAlert('s', stored(name));
  return { store, plain, happened };
}

describe('updates at the same time', () => {
  test('are committed once, and answered after it', async () => {
    const { store, happened } = await rig();
    const answered = async (name: string) => {
      await store.changeActive(turnOn(name));
      happened.push(`${name} answered`);
    };
    await Promise.all(['a', 'b', 'c'].map(answered));
    expect(happened).toEqual(['committed', 'a answered', 'b answered', 'c answered']);
  });

  test('are refused together, and undone, when the commit fails', async () => {
    const { store, plain } = await rig(() => {
      throw new Error('disk full');
    });
    const outcomes = await Promise.allSettled(['a', 'b'].map(async (name) => store.changeActive(turnOn(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await plain.countAlerts()).toEqual({ active: 0, inactive: 3 });
  });

  test('are refused together when SQLite rolls back because of one of them', async () => {
    const connection = createSqliteConnection(openDataFile(undefined));
    const store = createSqliteAlertStore(connection);
    for (const name of ['a', 'b', 'c']) await store.putAlert('s', stored(name));
    connection.database.exec(
      `CREATE TEMP TRIGGER full BEFORE UPDATE ON alert WHEN old.alert_key = 'b'
       BEGIN SELECT RAISE(ROLLBACK, 'disk full'); END`,
    );
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(async (name) => store.changeActive(turnOn(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await store.countAlerts()).toEqual({ active: 0, inactive: 3 });
    expect(await store.removeAlert('s', 'a')).toBe(true);
  });
});
