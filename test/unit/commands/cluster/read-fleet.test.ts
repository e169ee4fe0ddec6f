// What a report shows of the connections of the cluster, and what it says when it cannot show them.
import { expect, test } from 'vitest';

import { readFleet } from '../../../../src/commands/cluster/read-fleet.ts';
import { clusterConnection, connection, policy, throughCluster } from '../../../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

const base = '/apis/rolealerts.dev/v1alpha1';
const other = { ...clusterConnection(), metadata: { ...clusterConnection().metadata, name: 'other' } };
const users = [policy({ spec: { connectionRef: throughCluster } })];

async function fleet(answers: FakeAnswers, namespace?: string) {
  const notes: string[] = [];
  const where = namespace === undefined ? base : `${base}/namespaces/${namespace}`;
  const defaults = { [`${where}/rolealertpolicies`]: [], [`${where}/rolealertconnections`]: [connection()] };
  const transport = fakeApiServer({ ...defaults, [`${base}/clusterrolealertconnections`]: [], ...answers });
  const { signal } = new AbortController();
  const note = (sentence: string) => void notes.push(sentence);
  const { connections } = await readFleet({ transport, namespace, signal, note });
  return { notes, names: connections.map(({ kind, metadata }) => `${kind} ${metadata.name}`) };
}

test('all connections of the cluster are in a report of all namespaces', async () => {
  const answers = { [`${base}/clusterrolealertconnections`]: [clusterConnection(), other] };
  expect(await fleet(answers)).toEqual({
    notes: [],
    names: ['RoleAlertConnection prod', 'ClusterRoleAlertConnection prod', 'ClusterRoleAlertConnection other'],
  });
});

test('the report of a namespace has the connections of the cluster that its policies use', async () => {
  const answers = {
    [`${base}/clusterrolealertconnections`]: [clusterConnection(), other],
    [`${base}/namespaces/team/rolealertpolicies`]: users,
  };
  expect(await fleet(answers, 'team')).toEqual({
    notes: [],
    names: ['RoleAlertConnection prod', 'ClusterRoleAlertConnection prod'],
  });
});

test.each([
  ['kube-denied', 'ask for the ClusterRole rolealerts-platform-admin'],
  ['kube-not-found', 'apply crds/ of this version'],
] as const)('after %s the other objects are shown, and a note says what is missing and the fix', async (code, fix) => {
  const refused = { [`${base}/clusterrolealertconnections`]: code };
  const { notes, names } = await fleet(refused);
  expect(names).toEqual(['RoleAlertConnection prod']);
  expect(notes).toEqual([expect.stringMatching(`^ClusterRoleAlertConnections are not shown, because .*${fix}`)]);
});

test('a team whose policies use no connection of the cluster reads no note about them', async () => {
  const refused = { [`${base}/clusterrolealertconnections`]: 'kube-denied' } as const;
  expect((await fleet(refused, 'team')).notes).toEqual([]);
  const using = { ...refused, [`${base}/namespaces/team/rolealertpolicies`]: users };
  expect((await fleet(using, 'team')).notes).toHaveLength(1);
});

test('an object that this version cannot read is named, with the member and the fix', async () => {
  const newer = { ...policy(), spec: { ...policy().spec, mode: 'Dream' } };
  const { notes } = await fleet({ [`${base}/rolealertpolicies`]: [policy(), newer] });
  expect(notes).toEqual([
    'RoleAlertPolicy team/owners is not shown, because this version of rolealerts cannot read it (.spec.mode). Use the version of the operator.',
  ]);
});

test('an API server that cannot be reached fails the report', async () => {
  await expect(fleet({ [`${base}/clusterrolealertconnections`]: 'kube-unreachable' })).rejects.toThrow('refused');
});
