// The Lease of the replicas, the rejected configurations in which replicas would miss or block each other, and that a
// process that does not lead records nothing.
import { expect, test } from 'vitest';

import { longestPatchMs } from '../../../src/alert-client/client.ts';
import type { ClusterPort } from '../../../src/controller/ports.ts';
import { defaultTiming } from '../../../src/kube/leader-election.ts';
import { fenceStatusWrites, isTimeForPatch, leaseOf } from '../../../src/manager/leadership.ts';
import { connection, firing, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const values = { leaderElectionId: 'rolealerts', leaderElectionNamespace: 'ops', connectionSelector: undefined };

test('it is the one that was named', () => {
  expect(leaseOf(values)).toEqual({ name: 'rolealerts', namespace: 'ops' });
});

test('a shard has one of its own', () => {
  const shard = { ...values, connectionSelector: 'shard=a', leaderElectionId: 'rolealerts-a' };
  expect(leaseOf(shard)).toEqual({ name: 'rolealerts-a', namespace: 'ops' });
});

test('a shard with the Lease of the others is refused', () => {
  expect(() => leaseOf({ ...values, connectionSelector: 'shard=a' })).toThrow(
    '--connection-selector needs a --leader-election-id of its own: two shards with one Lease would block each other.',
  );
});

test('outside a Pod a namespace is not guessed', () => {
  expect(() => leaseOf({ ...values, leaderElectionNamespace: undefined })).toThrow(
    'Outside a Pod --leader-election-namespace is needed. For a trial with a single process set --leader-elect=false.',
  );
});

test('a process that does not lead any more writes no status, not even over one that it has just read', async () => {
  let isLeading = false;
  const fence = (cluster: ClusterPort) => fenceStatusWrites(cluster, { isLeading: () => isLeading });
  const world = new FakeWorld({ fence });
  world.live.set('subscriptions/a', [firing([])]);
  world.apply(connection());
  world.apply(policy());
  world.controller.start();
  await world.clock.advance(30_000);
  expect([world.policies.writes, world.connections.writes]).toEqual([0, 0]);
  isLeading = true;
  await world.clock.advance(120_000);
  expect([world.policies.writes, world.connections.writes]).toEqual([1, 1]);
});

test('a PATCH is sent only while more of the Lease is left than a PATCH may take, which a healthy holder always has', () => {
  expect([0, 15_000, 15_001].map(isTimeForPatch)).toEqual([false, false, true]);
  expect(longestPatchMs).toBe(15_000);
  // Renewed every five seconds, and a response may take five.
  expect(isTimeForPatch(defaultTiming.leaseMs - defaultTiming.retryMs - defaultTiming.tryDeadlineMs)).toBe(true);
  expect(defaultTiming).toEqual({ leaseMs: 35_000, renewDeadlineMs: 30_000, retryMs: 5000, tryDeadlineMs: 5000 });
});
