// The bound of the audit trail in bytes on PostgreSQL, with two processes that keep it.
import { expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { createAuditSize } from '../../src/service/audit/audit-size.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { newSchema } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

describeWithPostgres('the audit trail', (postgres) => {
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
