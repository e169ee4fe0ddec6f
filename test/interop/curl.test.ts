// curl from a shell, as a user would run it: over TLS with the CA that the service prints, a token from the token endpoint, a list and an
// update. Skipped where there is no curl.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { runCommand } from '../../src/local/run-command.ts';
import { startAlertsService, type RunningAlertsService } from '../../src/service/server.ts';
import { clientsWith, operator } from '../support/rigs/oauth-rig.ts';
import { alertA, listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';

describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('curl', () => {
  let service: RunningAlertsService;
  let folder = '';
  beforeEach(async () => {
    service = await startAlertsService(serviceOptions({ seed, clients: clientsWith(), tls: { kind: 'self-signed' } }));
    folder = mkdtempSync(join(tmpdir(), 'rolealerts-curl-'));
    writeFileSync(join(folder, 'ca.crt'), service.authority ?? '');
  });
  afterEach(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const shell = async (command: string, environment: Record<string, string> = {}) => {
    const env = { PATH: process.env['PATH'] ?? '', URL: service.url, ...environment };
    const result = await runCommand('/bin/sh', ['-c', command], {
      environment: env,
      directory: folder,
      deadlineMs: 300_000,
    });
    expect(result.stderr).toBe('');
    return result.stdout;
  };

  test('gets a token, lists, and deactivates an alert', async () => {
    const answer = await shell(
      `curl -sS --cacert ca.crt -u '${operator.id}:${operator.secret}' -d grant_type=client_credentials "$URL/common/oauth2/token"`,
    );
    const { access_token: TOKEN } = JSON.parse(answer) as { access_token: string };
    const list = await shell(`curl -sS --cacert ca.crt -H "authorization: Bearer $TOKEN" "$URL${listOne}"`, { TOKEN });
    expect((JSON.parse(list) as { value: object[] }).value).toHaveLength(5);
    const status = await shell(
      `curl -sS --cacert ca.crt -o body -w '%{http_code}' -X PATCH -H "authorization: Bearer $TOKEN" ` +
        `-H 'content-type: application/json' -d '{"properties":{"isActive":false}}' "$URL${alertA}"`,
      { TOKEN },
    );
    expect(status).toBe('204');
    expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({ properties: { isActive: false } });
  });
});
