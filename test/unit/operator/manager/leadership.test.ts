// The Lease of the replicas, and the rejected configurations in which replicas would miss or block each other.
import { expect, test } from 'vitest';

import { longestPatchMs } from '../../../../src/operator/alert-client/client.ts';
import { defaultTiming } from '../../../../src/operator/kube/leader-election.ts';
import { isTimeForPatch, leaseOf } from '../../../../src/operator/manager/leadership.ts';

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

test('a PATCH is sent only while more of the Lease is left than a PATCH may take, which a healthy holder always has', () => {
  expect([0, 15_000, 15_001].map(isTimeForPatch)).toEqual([false, false, true]);
  expect(longestPatchMs).toBe(15_000);
  // Renewed every five seconds, and a response may take five.
  expect(isTimeForPatch(defaultTiming.leaseMs - defaultTiming.retryMs - defaultTiming.tryDeadlineMs)).toBe(true);
  expect(defaultTiming).toEqual({ leaseMs: 35_000, renewDeadlineMs: 30_000, retryMs: 5000, tryDeadlineMs: 5000 });
});
