// The trust of the client: the CA bundle of the connection, and TLS 1.2 or later.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { alertDocument, call, failureOf, scope, startRig } from '../support/rigs/alert-client-rig.ts';
import { answer, startScriptedServer, type Script } from '../support/servers/scripted-server.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const caBundle = fixture('ca.crt');
const tls = { key: fixture('server.key'), cert: fixture('server.crt') };
const script: Script = (_, response) => answer(response, 200, { value: [alertDocument('A')] });

describe('over TLS', () => {
  test('a service whose authority is in the CA bundle is trusted', async () => {
    await using rig = await startRig(script, { tls, caBundle: `# the authority\n${caBundle}\n${caBundle}` });
    expect((await rig.client.listAlerts(scope, call())).alerts).toHaveLength(1);
  });

  test('a service whose authority is not in the CA bundle gets no request', async () => {
    await using rig = await startRig(script, { tls });
    const { error } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error.code).toBe('tls-failed');
    expect(rig.server.requests).toEqual([]);
  });

  test('a service with the certificate of another name gets no request', async () => {
    await using other = await startScriptedServer(script, tls);
    const endpoint = {
      baseURL: `https://127.0.0.1:${other.port}`,
      providerNamespace: 'V.A',
      apiVersion: '1',
    };
    await using rig = await startRig(script, { caBundle, change: { endpoint } });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
    expect(other.requests).toEqual([]);
  });

  test('TLS 1.1 is refused', async () => {
    const old = { ...tls, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    await using rig = await startRig(script, { tls: old, caBundle });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
  });

  test('a plain server behind an https URL is a TLS failure', async () => {
    await using plain = await startScriptedServer(script);
    const endpoint = { baseURL: `https://127.0.0.1:${plain.port}`, providerNamespace: 'V.A', apiVersion: '1' };
    await using rig = await startRig(script, { change: { endpoint } });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
  });

  test.each(['', 'garbage', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'a CA bundle that cannot be read is refused before anything is sent: %j',
    async (broken) => {
      await using rig = await startRig(script, { tls, caBundle: broken });
      expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('tls-failed');
      expect(rig.server.requests).toEqual([]);
    },
  );
});
