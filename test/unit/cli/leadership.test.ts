// Which Lease the replicas meet at, and what is refused because they might not meet, or meet those they should not.
import { expect, test } from 'vitest';

import { leaseOf } from '../../../src/cli/wiring/leadership.ts';

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
    '--leader-elect with --connection-selector needs a --leader-election-id of its own.',
  );
});

test('outside a Pod a namespace is not guessed', () => {
  expect(() => leaseOf({ ...values, leaderElectionNamespace: undefined })).toThrow(
    '--leader-elect outside a Pod needs --leader-election-namespace.',
  );
});
