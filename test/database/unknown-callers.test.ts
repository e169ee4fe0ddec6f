// Logins of callers that the service does not know yet, with the clock of the system.
import { expect, onTestFinished, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { askToken, clientsWith, operator, publicURL, sendForm, user, users } from '../support/rigs/oauth-rig.ts';
import { until } from '../support/rigs/until.ts';
import { startInProcess } from '../support/servers/alerts-service.ts';
import { newSchema } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

/** Longer than the service uses its copy of the known callers without a question to the database. */
const staleAfterMs = 3000;

describeWithPostgres('a caller that the service does not know yet', (postgres) => {
  test('gets a token and signs in three seconds after the start', async () => {
    const service = await startInProcess({
      databaseURL: new SecretText(await newSchema(postgres)),
      publicURL,
      clients: clientsWith(),
      users,
      clock: systemClock,
    });
    onTestFinished(() => service.stop());
    // Only real time shows what the clock of the system passes to the database: a clock of a test may be kinder.
    const startedMs = performance.now();
    await until(() => performance.now() - startedMs >= staleAfterMs, 'three seconds have passed');
    const secret = { client_id: operator.id, client_secret: operator.secret };
    expect((await askToken(service, { grant_type: 'client_credentials', ...secret })).status).toBe(200);
    const approve = { username: user.name, password: user.password, decision: 'allow' };
    const form = { response_type: 'token', client_id: 'portal', ...approve };
    const { status, headers } = await sendForm(service, form);
    expect([status, String(headers['location'])]).toEqual([303, expect.stringContaining('access_token=')]);
  });
});
