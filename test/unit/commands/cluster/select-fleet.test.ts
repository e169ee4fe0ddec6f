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
const all: FleetSelection = { names: [], selector: undefined, namespace: 'team' };

function shown(selection: Partial<FleetSelection>) {
  const { policies, connections } = selectFleet(fleet, { ...all, ...selection });
  return [...policies, ...connections].map(({ kind, metadata }) => `${kind.replace('RoleAlert', '')} ${metadata.name}`);
}

test('a name, a label or both show these policies and their connections', () => {
  expect(shown({ names: ['rap/failed', 'failed'] })).toEqual(['Policy failed', 'ClusterConnection prod']);
  expect(shown({ selector: 'team in (payments)' })).toEqual(['Policy ready', 'Connection prod']);
  expect(shown({ selector: 'team=payments', names: ['failed'] })).toEqual([]);
});

test('a name needs a namespace, and a policy', () => {
  expect(() => shown({ names: ['failed'], namespace: undefined })).toThrow('use --namespace');
  expect(() => shown({ names: ['absent'] })).toThrow(
    'There is no policy team/absent: check --namespace and --context.',
  );
});
