// Which connections of files an operator of the cluster manages already.
import { describe, expect, test } from 'vitest';

import { managedConnections } from '../../../../src/commands/preview/managed-connections.ts';
import { type AnyConnection, pendingConnectionStatus } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection } from '../../../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

const root = '/apis/rolealerts.dev/v1alpha1';
const everywhere = `${root}/rolealertconnections`;
const ofCluster = `${root}/clusterrolealertconnections`;

function named<T extends AnyConnection>(object: T, name: string, namespace?: string): T {
  return { ...object, metadata: { ...object.metadata, name, ...(namespace !== undefined && { namespace }) } };
}

const reaching = (baseURL: string) => connection({ endpoint: { ...connection().spec.endpoint, baseURL } });
const seen = <T extends AnyConnection>(object: T): T => ({
  ...object,
  status: { ...pendingConnectionStatus, observedGeneration: 1 },
});

async function managed(given: readonly AnyConnection[], answers: FakeAnswers) {
  const notes: string[] = [];
  const found = await managedConnections(
    {
      transport: fakeApiServer(answers),
      namespace: 'team',
      signal: new AbortController().signal,
      note: (sentence) => void notes.push(sentence),
    },
    given,
  );
  return { found, notes };
}

describe('the connections that an operator manages', () => {
  test('are those of the same name whose status it has written', async () => {
    const answers = { [everywhere]: [seen(connection())], [ofCluster]: [clusterConnection()] };
    const { endpoint } = connection().spec;
    const other = clusterConnection({ endpoint: { ...endpoint, baseURL: 'https://other.example' } });
    const { found, notes } = await managed([connection(), other], answers);
    expect(found).toEqual([{ stored: 'team/prod', given: 'team/prod' }]);
    expect(notes).toEqual([]);
  });

  test('are those of another name, namespace or kind that reach the same service in any spelling', async () => {
    const given = named(reaching('https://SERVICE.example:443/'), 'mine');
    const elsewhere = { [everywhere]: [seen(named(connection(), 'prod', 'payments'))], [ofCluster]: [] };
    expect((await managed([given], elsewhere)).found).toEqual([{ stored: 'payments/prod', given: 'team/mine' }]);
    const ofPlatform = { [everywhere]: [], [ofCluster]: [seen(clusterConnection())] };
    expect((await managed([given], ofPlatform)).found).toEqual([{ stored: '/prod', given: 'team/mine' }]);
    const other = { [everywhere]: [seen(reaching('https://other.example'))], [ofCluster]: [] };
    expect((await managed([given], other)).found).toEqual([]);
  });

  test('are those of the same name also when the file moves it to another service', async () => {
    const answers = { [everywhere]: [seen(connection())], [ofCluster]: [] };
    const { found } = await managed([reaching('https://other.example')], answers);
    expect(found).toEqual([{ stored: 'team/prod', given: 'team/prod' }]);
  });

  test('are none but the one of the same name if there is one', async () => {
    const answers = {
      [everywhere]: [seen(named(connection(), 'prod', 'another')), seen(connection())],
      [ofCluster]: [],
    };
    expect((await managed([connection()], answers)).found).toEqual([{ stored: 'team/prod', given: 'team/prod' }]);
  });

  test('are none in a cluster without the resources of rolealerts', async () => {
    expect(await managed([connection(), clusterConnection()], {})).toEqual({ found: [], notes: [] });
  });

  test('are sought in the namespaces of the files for a person who may not list all, and a note says so', async () => {
    const own = `${root}/namespaces/team/rolealertconnections`;
    const answers = {
      [everywhere]: 'kube-denied',
      [own]: [seen(named(connection(), 'prod'))],
      [ofCluster]: 'kube-denied',
    } as const;
    const { found, notes } = await managed([named(connection(), 'mine')], answers);
    expect(found).toEqual([{ stored: 'team/prod', given: 'team/mine' }]);
    expect(notes).toEqual([
      'not checked whether an operator manages connections of namespaces other than team to the same service, because you may not list them.',
      'not checked whether an operator manages ClusterRoleAlertConnections to the same service, because you may not list them.',
    ]);
  });

  test('are not known when a connection of the files may not be read', async () => {
    const denied = {
      [everywhere]: 'kube-denied',
      [`${root}/namespaces/team/rolealertconnections`]: 'kube-denied',
    } as const;
    await expect(managed([connection()], { ...denied, [ofCluster]: [] })).rejects.toThrow('kube-denied');
    const cluster = { [everywhere]: [], [ofCluster]: 'kube-denied', [`${ofCluster}/prod`]: 'kube-denied' } as const;
    await expect(managed([clusterConnection()], cluster)).rejects.toThrow('kube-denied');
  });

  test('may be ones that this version cannot read, and a note says so', async () => {
    const broken = { ...connection(), spec: 'none' };
    const { notes } = await managed([connection()], { [everywhere]: [broken], [ofCluster]: [] });
    expect(notes).toEqual([expect.stringContaining('not compared, because this version cannot read it: team/prod')]);
  });
});
