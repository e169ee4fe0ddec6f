// The Kubernetes side against a real API server, with the real resources.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { isCoded } from '../../src/lib/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createCredentialReader } from '../../src/operator/kube/credentials.ts';
import { createCustomResources } from '../../src/operator/kube/custom-resources.ts';
import { createEventRecorder } from '../../src/operator/kube/event-recorder.ts';
import type { CustomResources } from '../../src/policy/custom-resources.ts';
import type { RoleAlertPolicyStatus } from '../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../src/policy/resources.ts';
import {
  followPolicies,
  openKube,
  policyManifest,
  type FollowedPolicies,
  type KubeAccess,
} from '../support/rigs/kube-rig.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('against a real API server', (controlPlane) => {
  let kube: KubeAccess;
  let resources: CustomResources;
  let namespace: string;
  let followed: FollowedPolicies | undefined;

  beforeEach(async () => {
    kube = openKube(controlPlane.kubeconfigPath);
    resources = createCustomResources(kube.transport);
    namespace = await controlPlane.newNamespace();
  });

  afterEach(async () => {
    await followed?.reflector.stop();
    followed = undefined;
    await kube.connection.close();
  });

  const apply = (...manifests: readonly object[]) =>
    controlPlane.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
    });

  const read = async (name: string): Promise<RoleAlertPolicy> => (await resources.readPolicy(namespace, name))!;

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'success',
      (error: unknown) => (isCoded(error) ? error.code : String(error)),
    );

  it('follows policies page by page, and then every change to them', async () => {
    await apply(...['a', 'b', 'c'].map((name) => policyManifest(namespace, name)));
    followed = followPolicies(kube.transport, namespace, 1);
    const { reflector, events, eventLog } = followed;
    await until(() => reflector.hasSynced, 'the list is whole');
    expect(eventLog()).toEqual(['added a', 'added b', 'added c']);
    expect(events.every(({ isInitial }) => isInitial)).toBe(true);
    expect(reflector.get(`${namespace}/a`)?.metadata).not.toHaveProperty('managedFields');

    await apply(policyManifest(namespace, 'b', 'Enforce'));
    await controlPlane.kubectl(['delete', 'rap', 'a', '-n', namespace]);
    await apply(policyManifest(namespace, 'a'));
    await until(() => events.length === 6, 'all events');

    expect(eventLog().slice(3)).toEqual(['changed b', 'deleted a', 'added a']);
    expect(events[3]).toMatchObject({ object: { spec: { mode: 'Enforce' } }, previous: { spec: { mode: 'Observe' } } });
    expect([...reflector.list()]).toHaveLength(3);
  });

  it('replaces a status and nothing else', async () => {
    await apply(policyManifest(namespace, 'a'));
    const before = await read('a');
    const theirs = { ...status(1), conditions: [condition('Ready'), condition('Foreign')] };
    const first = await resources.replacePolicyStatus(before, theirs);
    const second = await resources.replacePolicyStatus(first, { ...status(1), conditions: [condition('Ready')] });

    expect(second.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
    expect(second.spec).toEqual(before.spec);
    expect(second.metadata.generation).toBe(before.metadata.generation);
    expect(await read('a')).toEqual(second);
    const managers = (second.metadata as { managedFields?: { manager: string; subresource?: string }[] }).managedFields;
    expect(managers?.find(({ subresource }) => subresource === 'status')?.manager).toBe('rolealerts');
  });

  it('refuses to write over a newer version, and onto another object of the same name', async () => {
    await apply(policyManifest(namespace, 'a'));
    const first = await read('a');
    const second = await resources.replacePolicyStatus(first, status(1));
    expect(await codeOf(resources.replacePolicyStatus(first, status(2)))).toBe('kube-conflict');

    await controlPlane.kubectl(['delete', 'rap', 'a', '-n', namespace]);
    await apply(policyManifest(namespace, 'a'));
    const recreated = await read('a');
    const { resourceVersion } = recreated.metadata;
    const foreign = { ...second, metadata: { ...second.metadata, resourceVersion } };
    expect(await codeOf(resources.replacePolicyStatus(foreign, status(2)))).toBe('kube-conflict');
    expect((await read('a')).status?.observedGeneration).toBe(-1);
  });

  it('says what became of an object that is gone, or of a status that the schema does not allow', async () => {
    await apply(policyManifest(namespace, 'a'));
    const object = await read('a');
    const broken = { ...status(1), conditions: [{ ...condition('Ready'), status: 'Perhaps' as 'True' }] };
    expect(await codeOf(resources.replacePolicyStatus(object, broken))).toBe('kube-invalid');
    await controlPlane.kubectl(['delete', 'rap', 'a', '-n', namespace]);

    expect(await codeOf(resources.replacePolicyStatus(object, status(1)))).toBe('kube-not-found');
    expect(await resources.readPolicy(namespace, 'a')).toBeUndefined();
    expect(await resources.readConnection(namespace, 'a')).toBeUndefined();
  });

  it('shows its own status writes at once, and nothing older afterwards', async () => {
    await apply(policyManifest(namespace, 'a'));
    followed = followPolicies(kube.transport, namespace);
    const { reflector, events } = followed;
    await until(() => reflector.hasSynced, 'the list is whole');
    for (let write = 1; write <= 20; write++) {
      const cached = reflector.get(`${namespace}/a`)!;
      reflector.remember(await resources.replacePolicyStatus(cached, status(write)));
      expect(reflector.get(`${namespace}/a`)?.status?.observedGeneration).toBe(write);
    }
    await apply(policyManifest(namespace, 'a', 'Enforce'));
    await until(() => events.at(-1)?.object.spec.mode === 'Enforce', 'the user’s change');

    expect(events.at(-1)?.previous?.status?.observedGeneration).toBe(20);
    const seen = events.map(({ object }) => object.status?.observedGeneration ?? 0);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
  });

  it('opens no more than ten connections for a thousand status writes', async () => {
    const counter = await startConnectionCounter(controlPlane.url);
    const counted = openKube(controlPlane.kubeconfigPath, (config) => {
      config.clusters = config.clusters.map((cluster) => ({ ...cluster, server: counter.url }));
    });
    const names = Array.from({ length: 50 }, (_, index) => `policy-${index}`);
    await apply(...names.map((name) => policyManifest(namespace, name)));
    const counting = createCustomResources(counted.transport);
    await Promise.all(
      names.map(async (name) => {
        let object = await read(name);
        for (let write = 1; write <= 20; write++) object = await counting.replacePolicyStatus(object, status(write));
      }),
    );

    expect((await read('policy-49')).status?.observedGeneration).toBe(20);
    expect(counter.connections).toBeLessThanOrEqual(10);
    await counted.connection.close();
    await counter.stop();
  });

  it('records events as kubectl shows them', async () => {
    await apply(policyManifest(namespace, 'a'));
    const { metadata, apiVersion, kind } = await read('a');
    const recorder = createEventRecorder({
      transport: kube.transport,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      reportingInstance: 'rolealerts-0',
    });
    const regarding = { apiVersion, kind, name: 'a', namespace, uid: metadata.uid };
    recorder.record({ regarding, type: 'Normal', reason: 'DriftCorrected', action: 'Activate', note: 'ü'.repeat(600) });
    recorder.record({ regarding, type: 'Warning', reason: 'CorrectionFailed', action: 'Activate', note: 'refused' });
    await recorder.stop(10_000);

    const shown = await controlPlane.kubectl(['events', '--for', 'rolealertpolicy/a', '-n', namespace]);
    expect(shown).toMatch(/Normal +DriftCorrected +RoleAlertPolicy\/a +üüü/);
    expect(shown).toMatch(/Warning +CorrectionFailed +RoleAlertPolicy\/a +refused/);
    const described = await controlPlane.kubectl(['describe', 'rap', 'a', '-n', namespace]);
    expect(described).toMatch(/DriftCorrected +\S+ +rolealerts/);
  });

  it('drops events that the API server will not have, and counts them', async () => {
    const dropped: string[] = [];
    const recorder = createEventRecorder({
      transport: kube.transport,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      reportingInstance: 'rolealerts-0',
      onDropped: (cause) => dropped.push(cause),
    });
    const regarding = { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'no-such-namespace', uid: 'x' };
    recorder.record({ regarding, type: 'Normal', reason: 'Gone', action: 'Reconcile', note: 'no namespace' });
    recorder.record({
      regarding: { ...regarding, namespace },
      type: 'Normal',
      reason: '',
      action: 'Reconcile',
      note: '',
    });
    await recorder.stop(10_000);

    expect(dropped).toEqual(['refused', 'refused']);
  });

  it('reads a value only of a Secret that is meant for it', async () => {
    const secret = (name: string, labels: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name, labels },
      stringData: { token: 'canary-secret\n', empty: '' },
    });
    const bundle = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'ca' },
      data: { 'ca.crt': 'PEM' },
    };
    await apply(secret('meant', { 'rolealerts.dev/credential': 'true' }), secret('other', {}), bundle);
    const reader = createCredentialReader(kube.transport);

    expect((await reader.readSecretValue(namespace, 'meant', 'token')).reveal()).toBe('canary-secret');
    expect(await codeOf(reader.readSecretValue(namespace, 'other', 'token'))).toBe('credential-not-allowed');
    expect(await codeOf(reader.readSecretValue(namespace, 'absent', 'token'))).toBe('credential-missing');
    expect(await codeOf(reader.readSecretValue(namespace, 'meant', 'empty'))).toBe('credential-missing');
    expect(await codeOf(reader.readSecretValue(namespace, '../../default/secrets/x', 'token'))).toBe('kube-invalid');
    expect(await reader.readConfigMapValue(namespace, 'ca', 'ca.crt')).toBe('PEM');
    expect(await codeOf(reader.readConfigMapValue(namespace, 'ca', 'constructor'))).toBe('credential-missing');
  });

  it('works with a service account’s token, from the moment its permission is there', async () => {
    await apply(policyManifest(namespace, 'a'));
    await controlPlane.kubectl(['create', 'serviceaccount', 'operator', '-n', namespace]);
    const own = openKube(await controlPlane.serviceAccountKubeconfig(namespace, 'operator'));
    followed = followPolicies(own.transport, namespace);
    const { reflector, failures } = followed;
    await until(() => failures.length > 0, 'a refusal');
    expect([failures[0], reflector.hasSynced]).toEqual(['kube-denied', false]);

    const rules = ['--verb=get,list,watch', '--resource=rolealertpolicies.rolealerts.dev'];
    await controlPlane.kubectl(['create', 'role', 'look', ...rules, '-n', namespace]);
    const subject = `--serviceaccount=${namespace}:operator`;
    await controlPlane.kubectl(['create', 'rolebinding', 'look', '--role=look', subject, '-n', namespace]);
    await until(() => reflector.get(`${namespace}/a`) !== undefined, 'the policy');

    const foreign = createCustomResources(own.transport);
    expect(await codeOf(foreign.replacePolicyStatus(await read('a'), status(1)))).toBe('kube-denied');
    await reflector.stop();
    await own.connection.close();
  });
});

function status(observedGeneration: number): RoleAlertPolicyStatus {
  return { observedGeneration };
}

function condition(type: string) {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    type,
    status: 'True' as const,
    observedGeneration: 1,
    lastTransitionTime,
    reason: 'Succeeded',
    message: 'Done.',
  };
}

/** Passes bytes on to the API server and counts who connected. */
async function startConnectionCounter(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections++;
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
