// Workload identity from end to end: a real API server is the issuer, the operator has exactly the rights of deploy/base and
// deploy/federated, and the alerts service verifies the tokens with the keys that the API server publishes, also after a rotation.
import { generateKeyPairSync } from 'node:crypto';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test, type TestContext } from 'vitest';

import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';
import type { TestControlPlane } from '../support/servers/test-control-plane.ts';

const audience = 'api://rolealerts-test';
const issuer = 'https://kubernetes.default.svc';
const alert = 'TooManyOwnersAssignedToResource';
const folder = (path: string) => new URL(`../../${path}`, import.meta.url).pathname;
const scopeOf = (name: string) => `subscriptions/federated-${name}`;
const connections = ['prod', 'fleet'] as const;
const scopes = Object.fromEntries(
  connections.map((name) => [scopeOf(name), [{ name: alert, properties: { isActive: false } }]]),
);

interface Trust {
  /** What the service trusts: the ServiceAccounts of the test's namespace and of `resources`, for the one audience. */
  readonly options: (namespace: string) => Partial<AlertsServiceOptions>;
  /** Gives the service another token for the keys of the API server. */
  readonly renewToken: () => Promise<void>;
}

async function openTrust(controlPlane: TestControlPlane, resources: string): Promise<Trust> {
  const { url, scratchDirectory } = controlPlane;
  const [caFile, tokenFile] = [join(scratchDirectory, 'cluster-ca.crt'), join(scratchDirectory, 'keys-token')];
  const readers = await controlPlane.newNamespace();
  await controlPlane.kubectl(['create', 'serviceaccount', 'keys', '--namespace', readers]);
  const renewToken = async () =>
    writeFile(tokenFile, (await controlPlane.serviceAccountToken(readers, 'keys')).reveal(), { mode: 0o600 });
  await writeFile(caFile, controlPlane.certificateAuthority);
  await renewToken();
  const options = (namespace: string): Partial<AlertsServiceOptions> => ({
    // The shortest life that the operator takes: it sends assertions often.
    tokenLifetimeMs: 10_000,
    clients: connections.map((name) => ({
      id: name,
      federated: [namespace, resources].map((owner) => ({
        issuer,
        subject: `system:serviceaccount:${owner}:${name}`,
        audience,
        keys: { url: `${url}/openid/v1/jwks`, caFile, tokenFile },
      })),
    })),
  });
  return { options, renewToken };
}

interface Federated {
  readonly rig: OperatorRig;
  /** The credential of the operator for the API server. */
  readonly kubeconfig: string;
  readonly renewToken: Trust['renewToken'];
}

async function startFederated(
  controlPlane: TestControlPlane,
  onTestFinished: TestContext['onTestFinished'],
  resources: string,
): Promise<Federated> {
  const kubeconfig = await controlPlane.serviceAccountKubeconfig('rolealerts-system', 'rolealerts');
  const { options: service, renewToken } = await openTrust(controlPlane, resources);
  const controller = { kubeconfig, clusterResourceNamespace: resources };
  const rig = await startRig(controlPlane, { onTestFinished, scopes, service, controller });
  onTestFinished(() => expectNoAssertionIn(rig));
  return { rig, kubeconfig, renewToken };
}

const assertionsOf = ({ proxy }: OperatorRig) =>
  proxy.requests.flatMap(({ body }) => new URLSearchParams(body).get('client_assertion') ?? []);

/** Also not its signature alone. */
async function expectNoAssertionIn(rig: OperatorRig): Promise<void> {
  const everything = JSON.stringify([rig.lines, rig.recorder.versions, await rig.events(), await rig.metricsText()]);
  const found = assertionsOf(rig).filter((text) => everything.includes(text.split('.')[2] ?? text));
  expect(found).toEqual([]);
}

/** The Role of deploy/federated for these ServiceAccounts, in the namespace of the test. */
async function allow(controlPlane: TestControlPlane, namespace: string, names: readonly string[]): Promise<void> {
  const rendered = await controlPlane.kubectl(['kustomize', folder('deploy/federated')]);
  const role = rendered
    .split('\n---\n')
    .filter((document) => /kind: Role(Binding)?\n/.test(document))
    .map((document) => document.replaceAll(/resourceNames:\n *- alerts/g, `resourceNames: [${names.join(', ')}]`));
  await controlPlane.kubectl(['apply', '--namespace', namespace, '-f', '-'], { input: role.join('\n---\n') });
}

/** The connection `name`, which acts as the ServiceAccount of that name, and a policy of that name through it. */
async function connect(rig: OperatorRig, name: string): Promise<void> {
  const tokenURL = `${rig.proxy.url}/common/oauth2/token`;
  const federated = { tokenURL, clientID: name, serviceAccountName: name, audience };
  await rig.createConnection({ name, spec: { auth: { federated } } });
  await rig.createPolicy(name, {
    connectionRef: { name },
    scope: scopeOf(name),
    interval: '5s',
    alerts: [{ name: alert, state: 'Active' }],
  });
}

/** The same with a ClusterRoleAlertConnection, for every namespace. */
async function connectFleet(rig: OperatorRig, controlPlane: TestControlPlane): Promise<void> {
  const tokenURL = `${rig.proxy.url}/common/oauth2/token`;
  const allowed = { maxMode: 'Enforce', deactivation: 'Deny', unlisted: 'Deny' };
  const connection = {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'ClusterRoleAlertConnection',
    metadata: { name: 'fleet' },
    spec: {
      endpoint: { baseURL: rig.proxy.url },
      auth: { federated: { tokenURL, clientID: 'fleet', serviceAccountName: 'fleet', audience } },
      limits: { minInterval: '5s' },
      access: [{ namespaceSelector: {}, scopes: [scopeOf('fleet')], ...allowed }],
    },
  };
  await controlPlane.kubectl(['create', '-f', '-'], { input: JSON.stringify(connection) });
  await rig.createPolicy('fleet', {
    connectionRef: { kind: connection.kind, name: 'fleet' },
    scope: scopeOf('fleet'),
    alerts: [{ name: alert, state: 'Active' }],
  });
}

function requestToken({ proxy }: OperatorRig, assertion: string): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'fleet',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  });
  return fetch(`${proxy.url}/common/oauth2/token`, { method: 'POST', body });
}

describeWithOwnControlPlane('workload identity', (own) => {
  test('a rotation of the issuer’s keys needs no change, for connections of both kinds, and in the end nothing of the old key is valid', async ({
    onTestFinished,
  }) => {
    const resources = await own.newNamespace();
    await own.kubectl(['create', 'serviceaccount', 'fleet', '--namespace', resources]);
    const consent = `rolealerts.dev/federated-audience=${audience}`;
    await own.kubectl(['annotate', 'serviceaccount', 'fleet', consent, '--namespace', resources]);
    await allow(own, resources, ['fleet']);
    const { rig, kubeconfig, renewToken } = await startFederated(own, onTestFinished, resources);
    const inNamespace = (...args: readonly string[]) => own.kubectl([...args, '--namespace', rig.namespace]);
    await connectFleet(rig, own);
    await rig.policyIs('fleet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scopeOf('fleet'), alert)).toBe(true);
    const subjects = assertionsOf(rig).map((text) => decodeJwt(text).sub);
    expect(new Set(subjects)).toEqual(new Set([`system:serviceaccount:${resources}:fleet`]));

    await inNamespace('create', 'serviceaccount', 'prod');
    await inNamespace('annotate', 'serviceaccount', 'prod', consent);
    await allow(own, rig.namespace, ['prod']);
    await connect(rig, 'prod');
    await rig.policyIs('prod', 'Ready', 'True/Succeeded');
    const keys = () => new Set(assertionsOf(rig).map((text) => decodeProtectedHeader(text).kid));
    expect(keys().size).toBe(1);

    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const [privateFile, publicFile] = [join(own.scratchDirectory, 'next.key'), join(own.scratchDirectory, 'next.pub')];
    await writeFile(privateFile, pair.privateKey, { mode: 0o600 });
    await writeFile(publicFile, pair.publicKey);
    await own.stopApiServer();
    await own.startApiServer([
      `--service-account-key-file=${publicFile}`,
      `--service-account-signing-key-file=${privateFile}`,
    ]);

    // The assertion that the old key signed is good until its end; a ServiceAccount that is created again needs a new one.
    const before = assertionsOf(rig).length;
    await eventually('another assertion', () => (assertionsOf(rig).length > before ? true : undefined));
    await rig.policyIs('prod', 'Ready', 'True/Succeeded');
    await inNamespace('delete', 'serviceaccount', 'prod');
    await inNamespace('create', 'serviceaccount', 'prod');
    await inNamespace('annotate', 'serviceaccount', 'prod', consent);
    await eventually('an assertion that the new key signed', () => (keys().size === 2 ? true : undefined));
    for (const name of ['prod', 'fleet']) {
      await rig.turn(scopeOf(name), alert, false);
      await rig.requestReconcile(name);
      await rig.flagBecomes(scopeOf(name), alert, true);
    }
    await rig.connectionIs('prod', 'True/Connected');
    await rig.policyIs('prod', 'Ready', 'True/Succeeded');

    // The rotation ends: the API server forgets the old key, and the kubelets have given every Pod a new token.
    const [oldKey] = keys();
    const signedBy = (text: string) => decodeProtectedHeader(text).kid;
    const oldAssertion = assertionsOf(rig).findLast((text) => signedBy(text) === oldKey) ?? '';
    const oldKubeconfig = join(own.scratchDirectory, 'old-kubeconfig');
    await copyFile(kubeconfig, oldKubeconfig);
    await own.stopApiServer();
    await writeFile(join(own.dataDirectory, 'service-account.pub'), pair.publicKey);
    await own.startApiServer([`--service-account-signing-key-file=${privateFile}`]);
    const withOldToken = await own.tryKubectl(['get', 'rolealertpolicies'], { kubeconfigPath: oldKubeconfig });
    expect(withOldToken.stderr).toMatch(/Unauthorized|must be logged in/);
    await copyFile(await own.serviceAccountKubeconfig('rolealerts-system', 'rolealerts'), kubeconfig);
    await renewToken();
    // Made anew, the service reads the keys at once, and has every alert inactive again.
    await rig.stopService();
    await rig.startService();
    const refusal = await requestToken(rig, oldAssertion);
    expect([refusal.status, await refusal.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    for (const name of ['prod', 'fleet']) {
      await rig.requestReconcile(name);
      await rig.flagBecomes(scopeOf(name), alert, true);
    }
    for (const name of ['prod', 'fleet']) await rig.policyIs(name, 'Ready', 'True/Succeeded');
    const newest = new Map(assertionsOf(rig).map((text) => [decodeJwt(text).sub, signedBy(text)]));
    expect([...newest.values()].filter((key) => key === oldKey)).toEqual([]);
  });
});
