import { expect, test } from 'vitest';

import { systemSecrets } from '../../../../src/lib/secret-source.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import type { Sql, SqlQueries } from '../../../../src/service/database/sql.ts';
import { createDelegations } from '../../../../src/service/oauth/delegations.ts';
import { openRevocations } from '../../../../src/service/oauth/revocations.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

/** A database that fails to delete a delegation. */
function failingDelete(sql: Sql): Sql {
  const failing = (queries: SqlQueries): SqlQueries => ({
    query: async (text, parameters) => {
      if (text.startsWith('DELETE FROM delegation WHERE id')) throw new Error('disk full');
      return queries.query(text, parameters);
    },
  });
  return { ...failing(sql), transaction: (work) => sql.transaction((tx) => work(failing(tx))) };
}

test('a delegation whose end cannot be stored ends in no part: its access tokens would return before it does', async () => {
  const clock = handClock();
  const sql = failingDelete(openDatabase(undefined).sql);
  const open = () => openRevocations({ sql, tokenLifetimeMs: 60_000, isShared: false, clock });
  const revocations = await open();
  const delegations = createDelegations({ sql, revocations, clock, newSecret: systemSecrets });
  await expect(delegations.revoke('delegation')).rejects.toThrow('disk full');
  expect([revocations.isRevoked('delegation'), (await open()).isRevoked('delegation')]).toEqual([false, false]);
});
