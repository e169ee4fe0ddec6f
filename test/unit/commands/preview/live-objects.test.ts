// `plan --live -f` in one namespace: which connections of the cluster it knows, and what it says about those that it did not read.
import { expect, test } from 'vitest';

import type { ClusterPlace } from '../../../../src/commands/cluster/cluster-place.ts';
import { checkFiles } from '../../../../src/commands/manifests/check-files.ts';
import { previewOf } from '../../../../src/commands/preview/build-preview.ts';
import { fileObjects } from '../../../../src/commands/preview/file-objects.ts';
import { liveObjects } from '../../../../src/commands/preview/live-objects.ts';
import { ScopePlanner } from '../../../../src/commands/preview/scope-planner.ts';
import {
  alert,
  alertName,
  clusterConnection,
  intervalMs,
  namespace,
  nowMs,
} from '../../../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';
import { declaredActive, policyYaml } from '../../../support/rigs/preview-rig.ts';

const base = '/apis/rolealerts.dev/v1alpha1';
const clusterConnections = `${base}/clusterrolealertconnections`;
const first = policyYaml('first', 'subscriptions/a', declaredActive(alertName));
const checked = (text: string) => checkFiles([{ name: 'a.yaml', text, isNamed: true }], nowMs);
const throughCluster = first.replace('connectionRef: {', 'connectionRef: {kind: ClusterRoleAlertConnection, ');

/** What the API server refuses, and the notes of the plan of a file, as read in the namespace `team`, which has no policy yet. */
async function notesOf(file: string, answers: FakeAnswers) {
  const place: ClusterPlace = {
    transport: fakeApiServer({
      [`${base}/namespaces/team/rolealertpolicies`]: [],
      [`${base}/namespaces/team/rolealertconnections`]: [],
      '/api/v1/namespaces/team': namespace(),
      ...answers,
    }),
    namespace: 'team',
    signal: new AbortController().signal,
    note: () => undefined,
  };
  const { before, objects, refused, ...live } = await liveObjects(place, checked(file));
  if (refused.length > 0) return refused.map(({ message }) => message);
  const planner = new ScopePlanner(objects, { nowMs, defaultIntervalMs: intervalMs, before });
  const context = { nowMs, memory: 'Cluster', namespace: 'team', clusterNamespace: 'rolealerts-system' } as const;
  const { scopes } = previewOf(planner.plan(new Map(planner.due.map((scope) => [scope, { alerts: [alert()] }]))), {
    ...context,
    ...live,
  });
  return [planner.due.length, ...scopes.flatMap(({ notes }) => notes.map(({ kind, reason }) => `${kind} ${reason}`))];
}

test('the first policy of a namespace is listed through the connection of the cluster that it names', async () => {
  expect(await notesOf(throughCluster, { [clusterConnections]: [clusterConnection()] })).toEqual([1]);
});

test('a file that changes what an update must keep is refused', async () => {
  const [stored] = fileObjects(checked(first), 'team').policies;
  const answers = { [`${base}/namespaces/team/rolealertpolicies`]: [stored], [clusterConnections]: [] };
  expect(await notesOf(first.replace('subscriptions/a', 'subscriptions/b'), answers)).toEqual([
    'scope cannot be changed: keep it as it is, and create another policy for the other scope',
  ]);
});

test('a connection of the cluster that does not exist is a state of the policy', async () => {
  expect(await notesOf(throughCluster, { [clusterConnections]: [] })).toEqual([0, 'NotReady ConnectionNotFound']);
});

test('a connection of the cluster that the API server does not show is not known', async () => {
  const notes = await notesOf(throughCluster, { [clusterConnections]: 'kube-denied' });
  expect(notes).toEqual([0, 'Failed ConnectionNotKnown']);
});

test('a connection of a namespace that was not read is not known', async () => {
  const elsewhere = first.replace('{name: first}', '{name: first, namespace: other}');
  expect(await notesOf(elsewhere, { [clusterConnections]: [] })).toEqual([0, 'Failed ConnectionNotKnown']);
  expect(await notesOf(first, { [clusterConnections]: [] })).toEqual([0, 'NotReady ConnectionNotFound']);
});
