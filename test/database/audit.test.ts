// The audit trail on PostgreSQL: while transactions overlap, a reader that goes from page to page misses no record, whichever commits first;
// and its size is bounded with two processes that keep it.
import type { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { createAuditSize } from '../../src/service/audit/audit-size.ts';
import { createAuditReader, type AuditPosition } from '../../src/service/audit/audit-trail.ts';
import type { Database } from '../../src/service/database/database.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { fastSettings, newSchema, startPostgres, withClient, type TestPostgres } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

const start: AuditPosition = { commitOrder: 0, id: 0 };

const insert = (actor: string) =>
  `INSERT INTO audit (at_ms, action, actor_type, actor, scope_key) VALUES (1, 'update', 'user', '${actor}', 's')`;

describeWithPostgres('the audit trail', () => {
  // A server of its own: a transaction of another database would hold records back as well.
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres({ settings: fastSettings });
  });
  afterAll(() => postgres.stop());

  async function opened(url: string) {
    const database: Database = await openPostgres(new SecretText(url), { clock: systemClock, log: silentLogger });
    closes.push(() => database.close());
    const read = createAuditReader(database.sql, database.auditOrder);
    const actorsAfter = async (after: AuditPosition, limit = 10, scope?: string) => {
      const { records, next } = await read({ sinceMs: 0, after, limit, scope });
      return { actors: records.map(({ actor }) => actor), next };
    };
    return { database, actorsAfter };
  }

  /** A connection in the schema of `url`. */
  const inSchema = (url: string, work: (client: Client) => Promise<void>) =>
    withClient(postgres, async (client) => {
      await client.query(`SET search_path = ${new URL(url).searchParams.get('search_path')}`);
      await work(client);
    });

  test('has no record from after a transaction that may still add one before it', async () => {
    const url = await newSchema(postgres);
    const { database, actorsAfter } = await opened(url);
    await inSchema(url, async (late) => {
      await late.query('BEGIN');
      await late.query(insert('late'));
      await database.sql.query(insert('early'));
      expect((await actorsAfter(start)).actors).toEqual([]);
      await late.query('COMMIT');
    });
    expect((await actorsAfter(start)).actors).toEqual(['late', 'early']);
  });

  test('goes on with the record of a transaction that began earlier and got its id later', async () => {
    const url = await newSchema(postgres);
    const { database, actorsAfter } = await opened(url);
    await inSchema(url, async (first) => {
      await first.query('BEGIN');
      await first.query('SELECT pg_current_xact_id()');
      await inSchema(url, async (second) => {
        await second.query('BEGIN');
        await second.query(insert('second'));
        await first.query(insert('first'));
        await first.query('COMMIT');
        expect((await actorsAfter(start)).actors).toEqual(['first']);
        await second.query('COMMIT');
      });
    });
    await database.sql.query(insert('third'));
    for (const scope of [undefined, 's']) {
      const page = await actorsAfter(start, 1, scope);
      const second = await actorsAfter(page.next ?? start, 1, scope);
      const rest = await actorsAfter(second.next ?? start, 1, scope);
      expect([page, second, rest].map(({ actors }) => actors)).toEqual([['first'], ['second'], ['third']]);
      expect(rest.next).toBeUndefined();
    }
  });

  test('has the records of a dump that another server restored, before those of its own', async () => {
    const url = await newSchema(postgres);
    const first = await opened(url);
    await first.database.sql.query(insert('dumped'));
    await first.database.sql.query('UPDATE audit SET written_by = written_by + 1000000000');
    const { database, actorsAfter } = await opened(url);
    await database.sql.query(insert('own'));
    expect((await actorsAfter(start)).actors).toEqual(['dumped', 'own']);
  });
});

describeWithPostgres('the size of the audit trail', (postgres) => {
  test('keeps its size while several processes delete what is beyond it, and keeps the newest records', async () => {
    const deps = { clock: systemClock, log: silentLogger };
    const database = await openPostgres(new SecretText(await newSchema(postgres)), deps);
    const { sql } = database;
    const mostBytes = 500_000;
    const processes = [1, 2].map(() => createAuditSize({ sql, mostBytes, onDeleted: () => undefined }));
    const sweep = async () => {
      for (const size of processes) while (await size.step());
    };
    for (let round = 1; round <= 4; round++) {
      await sql.query(
        `INSERT INTO audit (at_ms, action, actor_type, actor, scope_key, alert_key)
         SELECT n, 'update', 'user', 'ada', 's', 'a' FROM generate_series(1, $1::integer) AS n`,
        [4000],
      );
      await sweep();
      const [row] = await sql.query('SELECT count(*) AS n, min(id) AS first, max(id) AS last FROM audit');
      const [count, first, last] = [Number(row?.['n']), Number(row?.['first']), Number(row?.['last'])];
      expect([last, last - first + 1]).toEqual([4000 * round, count]);
      for (const { bytes } of processes) expect(bytes).toBeLessThanOrEqual(mostBytes);
      expect(count * 97).toBeLessThanOrEqual(mostBytes);
    }
    await database.close();
  });
});
