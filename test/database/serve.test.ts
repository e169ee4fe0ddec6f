// `rolealerts serve --database`: its probe while the database is away.
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { runProgram } from '../../src/commands/program.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { recordingHost } from '../support/rigs/recording-host.ts';
import { beginServe } from '../support/rigs/serve-rig.ts';
import { until } from '../support/rigs/until.ts';
import { listOne } from '../support/servers/alerts-service-cases.ts';
import { staticToken } from '../support/servers/alerts-service.ts';
import { atPort, newSchema } from '../support/servers/postgres.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

async function answerOf(url: string, headers: Record<string, string> = {}): Promise<readonly [number, string]> {
  const { statusCode, body } = await request(url, { headers });
  return [statusCode, await body.text()];
}

describeWithPostgres('serve on PostgreSQL', (postgres) => {
  test('is not ready while the database is away, and alive throughout', async () => {
    const proxy = await startTcpProxy(() => ({ host: '127.0.0.1', port: postgres.port }));
    onTestFinished(() => proxy.stop());
    const database = new SecretText(atPort(await newSchema(postgres), proxy.port));
    const { serving, stop } = beginServe({ database, staticToken: new SecretText(staticToken) });
    onTestFinished(async () => void (await stop()));
    const { probesURL, printed } = await serving;
    const ready = `${probesURL}/readyz`;
    expect(await answerOf(ready)).toEqual([200, 'ok\n']);
    proxy.mode = 'reset';
    const list = `${printed()[0]}${listOne}`;
    expect((await answerOf(list, { authorization: `Bearer ${staticToken}` }))[0]).toBe(503);
    expect([(await answerOf(ready))[0], (await answerOf(`${probesURL}/livez`))[0]]).toEqual([503, 200]);
    proxy.mode = 'pass';
    await until(async () => (await answerOf(ready))[0] === 200, 'it is ready again');
    expect((await answerOf(list, { authorization: `Bearer ${staticToken}` }))[0]).toBe(404);
  });

  test('has its CA in the database, from where serve ca prints it', async () => {
    const url = await newSchema(postgres);
    const env = { ROLEALERTS_DATABASE: url };
    const before = recordingHost(env);
    expect(await runProgram(['serve', 'ca'], before.host)).toBe(1);
    expect(before.written.err).toMatch(/^rolealerts: Cannot use the database .* does not exist/);
    const { serving, stop } = beginServe({ database: new SecretText(url), tlsSelfSigned: true });
    onTestFinished(async () => void (await stop()));
    const [, , ...authority] = (await serving).printed();
    const { host, written } = recordingHost(env);
    expect(await runProgram(['serve', 'ca'], host)).toBe(0);
    expect(written).toEqual({ out: authority.join('\n'), err: '' });
  });
});
