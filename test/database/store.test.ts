// The contract of the store, in PostgreSQL.
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { describeStore } from '../support/checks/store-contract.ts';
import { handClock } from '../support/servers/alerts-service.ts';
import { newSchema } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

describeWithPostgres('in PostgreSQL', (postgres) => {
  describeStore('PostgreSQL', async () => {
    const url = new SecretText(await newSchema(postgres));
    return () => openPostgres(url, { clock: handClock(), log: silentLogger });
  });
});
