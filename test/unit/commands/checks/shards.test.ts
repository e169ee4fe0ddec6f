// Which connections no operator serves, or several.
import { expect, test } from 'vitest';

import { type Shard, shardOutcome } from '../../../../src/commands/checks/operator.ts';
import type { AnyConnection } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection } from '../../../support/builders/objects.ts';

const shard = (name: string, connectionSelector?: string, ...watchNamespaces: string[]): Shard => ({
  deployment: `${name}/rolealerts`,
  connectionSelector,
  watchNamespaces,
});
const base = shard('base', 'shard!=a');
const a = shard('a', 'shard=a');
const labelled = <T extends AnyConnection>(object: T, label?: string): T => ({
  ...object,
  metadata: { ...object.metadata, ...(label !== undefined && { labels: { shard: label } }) },
});
const ofTeam = (label?: string) => labelled(connection(), label);
const ofCluster = (label?: string) => labelled(clusterConnection(), label);

test.each([
  ['the only operator', ofTeam('a'), [shard('base')]],
  ['the selector that its label has', ofTeam('a'), [base, a]],
  ['the selector that its absent label has', ofTeam(), [base, a]],
  ['a connection of the cluster likewise', ofCluster('a'), [base, a]],
  ['operators of different namespaces', ofTeam(), [shard('one', undefined, 'team'), shard('two', undefined, 'guest')]],
  ['an operator whose permissions decide', ofCluster(), [shard('one', undefined, 'team')]],
  ['an operator beside one whose permissions decide', ofCluster(), [shard('base'), shard('one', undefined, 'team')]],
])('%s serves', (_, object, shards) => {
  expect(shardOutcome(object, shards).state).toBe('Passed');
});

test.each([
  [
    'none selects its label',
    ofTeam('A'),
    [shard('base', '!shard'), a],
    'none of the Deployments base/rolealerts, a/rolealerts selects it',
  ],
  [
    'none selects the label of one of the cluster',
    ofCluster('A'),
    [shard('base', '!shard'), a],
    'base/rolealerts, a/rolealerts',
  ],
  [
    'none watches its namespace',
    ofTeam(),
    [shard('one', undefined, 'guest')],
    'none of the Deployments one/rolealerts',
  ],
  ['the only operator has an invalid selector', ofTeam('a'), [shard('a', 'shard in a')], 'a/rolealerts'],
])('no operator serves: %s', (_, object, shards, message) => {
  expect(shardOutcome(object, shards)).toEqual({
    state: 'Failed',
    message: expect.stringContaining(message) as string,
    fix: 'Correct its labels, or --connection-selector of one of them.',
  });
});

test.each([
  ['one selects every connection', ofTeam('a'), [shard('base'), a], 'Deployments base/rolealerts, a/rolealerts.'],
  [
    'two select a connection of the cluster',
    ofCluster('a'),
    [a, base, shard('b', 'shard in (a,b)')],
    'Deployments a/rolealerts, b/rolealerts.',
  ],
  [
    'two watch its namespace',
    ofTeam(),
    [shard('one', undefined, 'team'), shard('two', undefined, 'team')],
    'one/rolealerts, two/rolealerts',
  ],
])('several operators serve: %s', (_, object, shards, message) => {
  expect(shardOutcome(object, shards)).toEqual({
    state: 'Failed',
    message: expect.stringContaining(message) as string,
    fix: 'Narrow --connection-selector until exactly one of them selects it.',
  });
});
