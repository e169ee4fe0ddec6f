// Which policies and connections `status` shows when some are asked for.
import { expect, test } from 'vitest';

import { type FleetSelection, selectFleet } from '../../../../src/commands/cluster/select-policies.ts';
import { clusterConnection, connection, nowMs, policy, throughCluster } from '../../../support/builders/objects.ts';
import { condition } from '../../../support/builders/page-fleet.ts';

const withReady = (status: 'True' | 'False' | 'Unknown') => ({
  observedGeneration: 1,
  conditions: [condition('Ready', status, 'Reason')],
});

const payments = { ...policy().metadata, name: 'ready', labels: { team: 'payments' } };
const fleet = {
  policies: [
    policy({ metadata: payments, status: withReady('True') }),
    policy({ name: 'failed', status: withReady('False'), spec: { connectionRef: throughCluster } }),
    policy({ name: 'waiting', status: withReady('Unknown'), spec: { connectionRef: throughCluster } }),
  ],
  connections: [connection(), clusterConnection()],
  nowMs,
};
const all: FleetSelection = { names: [], selector: undefined, notReady: false, namespace: 'team' };

function shown(selection: Partial<FleetSelection>, read = fleet) {
  const { policies, connections } = selectFleet(read, { ...all, ...selection });
  return [...policies, ...connections].map(({ kind, metadata }) => `${kind.replace('RoleAlert', '')} ${metadata.name}`);
}

test('nothing that is asked for shows everything', () => {
  expect(selectFleet(fleet, all)).toEqual(fleet);
});

test('a name, a label or both show these policies and their connections', () => {
  expect(shown({ names: ['rap/failed', 'failed'] })).toEqual(['Policy failed', 'ClusterConnection prod']);
  expect(shown({ selector: 'team in (payments)' })).toEqual(['Policy ready', 'Connection prod']);
  expect(shown({ selector: 'team=payments', names: ['failed'] })).toEqual([]);
});

test('what is not ready has its connections, and connections that do not work', () => {
  expect(shown({ notReady: true })).toEqual(['Policy failed', 'Policy waiting', 'ClusterConnection prod']);
  const broken = { ...connection(), status: withReady('False') };
  const read = { ...fleet, connections: [broken, clusterConnection()] };
  expect(shown({ notReady: true }, read)).toEqual([
    'Policy failed',
    'Policy waiting',
    'Connection prod',
    'ClusterConnection prod',
  ]);
  expect(shown({ notReady: true, selector: 'team=payments' }, read)).toEqual(['Connection prod']);
  expect(shown({ notReady: true, names: ['failed'] }, read)).toEqual(['Policy failed', 'ClusterConnection prod']);
});

test('a name needs a namespace, and a policy', () => {
  expect(() => shown({ names: ['failed'], namespace: undefined })).toThrow('use --namespace');
  expect(() => shown({ names: ['absent'] })).toThrow(
    'There is no policy team/absent: check --namespace and --context.',
  );
});
