// Which policies a process serves, so that its metrics have series of them.
import { expect, test } from 'vitest';

import type { ClusterPort, ReadUid } from '../../../../src/operator/ports.ts';
import { servedPolicies } from '../../../../src/operator/queue/shard.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { at, connection, policy } from '../../../support/builders/objects.ts';

const lost: RoleAlertPolicy['status'] = {
  observedGeneration: 1,
  conditions: [
    {
      type: 'ConnectionReady',
      status: 'False',
      reason: 'ConnectionNotFound',
      message: '',
      lastTransitionTime: at(0),
    },
  ],
};
const elsewhere = { connectionRef: { kind: 'RoleAlertConnection', name: 'other' } } as const;

function namesServed(readUidAnywhere?: ReadUid): string[] {
  const policies = [
    policy({ name: 'own' }),
    policy({ name: 'of-another-shard', spec: elsewhere }),
    policy({ name: 'without-connection', spec: elsewhere, status: lost }),
  ];
  const cluster = {
    policies: { list: () => policies },
    connections: new Map([['team/prod', connection()]]),
    readUidAnywhere,
  } as unknown as ClusterPort;
  return [...servedPolicies(cluster)].map(({ metadata }) => metadata.name);
}

test('without shards it serves every policy', () => {
  expect(namesServed()).toEqual(['own', 'of-another-shard', 'without-connection']);
});

test('a shard serves the policies of its connections, and those whose connection does not exist', () => {
  expect(namesServed(async () => undefined)).toEqual(['own', 'without-connection']);
});
