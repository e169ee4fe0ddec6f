// Whether a list that has waited may still be sent.
import { expect, test } from 'vitest';

import { deniedScopeOf } from '../../../../src/operator/queue/policy-index.ts';
import { mayList } from '../../../../src/operator/scope/gather.ts';
import { connection, input, intervalMs, ledgerEntry, nowMs } from '../../../support/builders/objects.ts';

const gathered = {
  ref: { connection: 'team/prod', scope: 'subscriptions/a' },
  connection: connection(),
  policies: [input()],
  deletion: 'None' as const,
  ledger: [],
  gatheredMs: nowMs,
  intervalMs,
};

test.each([
  ['with a policy that may list the scope', {}, true],
  ['without such a policy', { policies: [] }, false],
  ['for the dismissals of the ledger', { policies: [], ledger: [ledgerEntry()] }, true],
  ['once the connection is being deleted', { deletion: 'Connection' as const }, false],
  [
    'once its namespace is being deleted, for the dismissals',
    { deletion: 'Namespace' as const, ledger: [ledgerEntry()] },
    true,
  ],
  ['once the connection is deleted', { connection: undefined }, false],
  ['once the connection is deleted with dismissals', { connection: undefined, ledger: [ledgerEntry()] }, false],
  ['of a denied policy', { ref: { ...gathered.ref, scope: deniedScopeOf('team/owners') } }, false],
])('%s', (_, change, expected) => expect(mayList({ ...gathered, ...change })).toBe(expected));
