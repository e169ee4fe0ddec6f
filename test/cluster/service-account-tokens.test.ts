// Tokens of ServiceAccounts on a real API server, with exactly the rights of deploy/base and deploy/federated. federated.nightly.ts has the
// operator with them, and a rotation of the keys.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { isCoded } from '../../src/lib/errors.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { createServiceAccounts, type ServiceAccounts } from '../../src/operator/kube/service-accounts.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { type KubeAccess, openKube } from '../support/rigs/kube-rig.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const signal = new AbortController().signal;
const audience = 'api://AzureADTokenExchange';
/** Of the API server of the tests (src/local/control-plane-programs.ts). */
const issuer = 'https://kubernetes.default.svc';

/** Of no account. */
const unknown = new SecretText('00000000-0000-4000-8000-000000000000');

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => 'granted',
    (error: unknown) => (isCoded(error) ? `${error.code} ${error.reason}` : String(error)),
  );

describeWithControlPlane('tokens of ServiceAccounts', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let team: string;
  let kube: KubeAccess;
  let accounts: ServiceAccounts;
  const account = (name = 'alerts', forAudience = audience) => ({ namespace: team, name, audience: forAudience });
  const identity = () => accounts.readIdentity(account(), signal);
  const inTeam = (...args: readonly string[]) => controlPlane.kubectl([...args, '--namespace', team]);

  beforeAll(async () => {
    const folder = (path: string) => new URL(`../../${path}`, import.meta.url).pathname;
    team = await controlPlane.newNamespace();
    await inTeam('create', 'serviceaccount', 'other');
    await inTeam('annotate', 'serviceaccount', 'other', `rolealerts.dev/federated-audience=${audience}`);
    kube = openKube(await controlPlane.serviceAccountKubeconfig('rolealerts-system', 'rolealerts'));
    accounts = createServiceAccounts({ ...kube, apiAudiences: [] });
    await inTeam('apply', '--server-side', '--kustomize', folder('deploy/federated'));
    await eventually('the Role applies', async () => ((await reasonOf(identity())) === 'granted' ? true : undefined));
  });
  afterAll(async () => {
    await kube.connection.close();
    await api.stop();
  });

  test('are issued for the audience in the annotation, for ten minutes, to the operator', async () => {
    const token = await accounts.requestToken(account(), await identity(), signal);
    const { aud, exp = 0, iat = 0 } = decodeJwt(token.reveal());
    expect([aud, exp - iat]).toEqual([[audience], 600]);
  });

  test('are not accepted by the API server itself', async () => {
    const token = await accounts.requestToken(account(), await identity(), signal);
    const answer = await api.send('GET', '/api', undefined, { token: token.reveal() });
    expect([answer.status, answer.body?.reason]).toEqual([401, 'Unauthorized']);
  });

  test('give the operator’s client access to the alerts service, which reads the keys of the API server', async () => {
    const { url, scratchDirectory } = controlPlane;
    const [caFile, tokenFile] = [join(scratchDirectory, 'cluster-ca.crt'), join(scratchDirectory, 'keys-token')];
    await writeFile(caFile, controlPlane.certificateAuthority);
    await writeFile(tokenFile, (await controlPlane.serviceAccountToken(team, 'other')).reveal(), { mode: 0o600 });
    const keys = { url: `${url}/openid/v1/jwks`, caFile, tokenFile };
    const subject = `system:serviceaccount:${team}:alerts`;
    const clients = [{ id: 'fleet', federated: [{ issuer, subject, audience, keys }] }];
    const service = await startAlertsService(serviceOptions({ clients }));
    onTestFinished(() => service.stop());
    const form = (token: SecretText) =>
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'fleet',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: token.reveal(),
      });
    const statusOf = async (token: SecretText) =>
      (await fetch(`${service.url}/common/oauth2/token`, { method: 'POST', body: form(token) })).status;
    expect(await statusOf(await accounts.requestToken(account(), await identity(), signal))).toBe(200);
    expect(await statusOf(await controlPlane.serviceAccountToken(team, 'alerts'))).toBe(401);
  });

  test('of a ServiceAccount that the Role does not name are refused, though it has the annotation', async () => {
    expect(await reasonOf(accounts.readIdentity(account('other'), signal))).toBe(
      'credential-not-allowed TokenRequestFailed',
    );
    expect(await reasonOf(accounts.requestToken(account('other'), unknown, signal))).toBe(
      'credential-not-allowed TokenRequestFailed',
    );
  });

  test('of another namespace are refused', async () => {
    const foreign = { ...account(), namespace: 'default' };
    expect(await reasonOf(accounts.readIdentity(foreign, signal))).toBe('credential-not-allowed TokenRequestFailed');
  });

  test('are not requested for the issuer, which is an audience of the API server', async () => {
    expect(await reasonOf(accounts.requestToken(account('alerts', issuer), unknown, signal))).toBe(
      'credential-not-allowed AudienceNotAllowed',
    );
  });

  test('need the annotation with the audience of the connection', async () => {
    const consent = (...change: readonly string[]) =>
      inTeam('annotate', '--overwrite', 'serviceaccount', 'alerts', ...change);
    await consent('rolealerts.dev/federated-audience=api://other');
    expect(await reasonOf(accounts.readIdentity(account(), signal))).toBe(
      'credential-not-allowed ServiceAccountNotAllowed',
    );
    await consent('rolealerts.dev/federated-audience-');
    expect(await reasonOf(accounts.readIdentity(account(), signal))).toBe(
      'credential-not-allowed ServiceAccountNotAllowed',
    );
    await consent(`rolealerts.dev/federated-audience=${audience}`);
    expect(await reasonOf(accounts.readIdentity(account(), signal))).toBe('granted');
  });

  test('of a ServiceAccount that was created again since it consented are refused', async () => {
    expect(await reasonOf(accounts.requestToken(account(), unknown, signal))).toBe(
      'credential-missing ServiceAccountNotFound',
    );
  });

  test('of a ServiceAccount that is gone are refused', async () => {
    await inTeam('delete', 'serviceaccount', 'alerts');
    expect(await reasonOf(accounts.readIdentity(account(), signal))).toBe('credential-missing ServiceAccountNotFound');
    expect(await reasonOf(accounts.requestToken(account(), unknown, signal))).toBe(
      'credential-missing ServiceAccountNotFound',
    );
  });
});
