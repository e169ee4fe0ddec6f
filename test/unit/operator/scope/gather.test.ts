// What the caches hold about one scope: which policies meet there, what is granted to each, and how often it is listed.
import { describe, expect, it, test } from 'vitest';

import type { Clock } from '../../../../src/lib/clock.ts';
import type { ConnectionRuntime } from '../../../../src/operator/connection/runtime.ts';
import type { ClusterPort } from '../../../../src/operator/ports.ts';
import { deniedScopeOf, PolicyIndex } from '../../../../src/operator/queue/policy-index.ts';
import { gather, type Gathered, isResting, mayList } from '../../../../src/operator/scope/gather.ts';
import { fullAccess, selectEntries } from '../../../../src/policy/access.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { namespacedName, scopeRefOf } from '../../../../src/policy/scope-ref.ts';
import {
  connection,
  input,
  intervalMs,
  ledgerEntry,
  minuteMs,
  nowMs,
  policy,
} from '../../../support/builders/objects.ts';

const scope = 'subscriptions/a';
const defaultIntervalMs = 15 * minuteMs;
const named = (
  name: string,
  change: Partial<RoleAlertConnection['spec']> = {},
  metadata: object = {},
): RoleAlertConnection => {
  const base = connection(change);
  return { ...base, metadata: { ...base.metadata, name, ...metadata } };
};
const through = (connectionName: string, name: string, spec: Partial<RoleAlertPolicy['spec']> = {}) =>
  policy({ name, spec: { connectionRef: { kind: 'RoleAlertConnection', name: connectionName }, ...spec } });

function gathered(
  connections: readonly RoleAlertConnection[],
  policies: readonly RoleAlertPolicy[],
  ledger: readonly object[] = [],
): Gathered {
  const policyIndex = new PolicyIndex();
  for (const each of policies) policyIndex.setPolicy(namespacedName(each), scopeRefOf(each));
  const cluster = {
    connections: { get: (key: string) => connections.find((each) => namespacedName(each) === key) },
    policies: { get: (key: string) => policies.find((each) => namespacedName(each) === key) },
    namespaces: new Map(),
  } as unknown as ClusterPort;
  const runtime = { statusWriter: { ledger: { recordsOf: () => ledger } } } as unknown as ConnectionRuntime;
  const clock = { now: () => nowMs } as Clock;
  return gather({ policyIndex, cluster, defaultIntervalMs, clock, selectEntries }, runtime, {
    connection: 'team/prod',
    scope,
  });
}

describe('a scope', () => {
  it('has its policies of this connection, each with what that grants, and nothing of other connections to the service', () => {
    const limits = { ...connection().spec.limits, maxDismissal: '1h' };
    const { policies } = gathered(
      [named('prod', { deactivation: 'Deny', limits }), named('other')],
      [through('prod', 'ours'), through('other', 'theirs'), through('prod', 'far', { scope: 'subscriptions/b' })],
    );
    expect(policies.map(({ key, grant }) => ({ key, grant }))).toEqual([
      { key: 'team/ours', grant: { ...fullAccess, deactivation: 'Deny', maxDismissalMs: 60 * minuteMs } },
    ]);
  });
});

describe('the interval of a scope', () => {
  const limits = { ...connection().spec.limits, minInterval: '2m' };
  const intervalOf = (policies: readonly RoleAlertPolicy[], ledger: readonly object[] = []) =>
    gathered([named('prod', { limits }), named('other')], policies, ledger).intervalMs / minuteMs;

  it('is the shortest of its own policies that are not suspended, and not below the least of the connection', () => {
    const policies = [
      through('prod', 'a', { interval: '9m' }),
      through('prod', 'b', { interval: '7m' }),
      through('prod', 'c', { interval: '3m', suspend: true }),
      through('other', 'd', { interval: '4m' }),
    ];
    expect(intervalOf(policies)).toBe(7);
    expect(intervalOf([through('prod', 'a', { interval: '1m' })])).toBe(2);
  });

  it('is the default where only the ledger asks for it', () => {
    expect(intervalOf([], [ledgerEntry()])).toBe(15);
    const long = named('prod', { limits: { ...limits, minInterval: '20m' } });
    const unread = named('prod', { limits: { ...limits, minInterval: 'soon' } });
    expect([long, unread].map((each) => gathered([each], [], [ledgerEntry()]).intervalMs / minuteMs)).toEqual([20, 15]);
  });
});

describe('a scope rests', () => {
  const rests = (policies: readonly RoleAlertPolicy[], ledger: readonly object[] = []) =>
    isResting(gathered([named('prod'), named('other')], policies, ledger));

  it('while all of its own policies are suspended and nothing of ours is inactive there', () => {
    const suspended = through('prod', 'a', { suspend: true });
    const theirs = through('other', 'b');
    expect(rests([suspended, theirs])).toBe(true);
    expect(rests([suspended, through('prod', 'c')])).toBe(false);
    expect(rests([suspended], [ledgerEntry()])).toBe(false);
  });
});

const listing = {
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
  ['of a denied policy', { ref: { ...listing.ref, scope: deniedScopeOf('team/owners') } }, false],
])('a list that has waited may still be sent, or not: %s', (_, change, expected) =>
  expect(mayList({ ...listing, ...change })).toBe(expected),
);
