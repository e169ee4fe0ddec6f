// The last check before an alert is deactivated: whatever the API server says now that is not what was planned from, nothing is sent.
import { describe, expect, it } from 'vitest';

import type { Action } from '../../../../src/operator/decide/decisions.ts';
import { confirmDeactivation } from '../../../../src/operator/scope/send.ts';
import {
  type AnyConnection,
  type NamespaceMetadata,
  pendingConnectionStatus,
  type RoleAlertPolicy,
} from '../../../../src/policy/resources.ts';
import { alertName, connection, input, ledgerEntry, policy, recorded } from '../../../support/builders/objects.ts';

const planned = { policy: policy(), connection: recorded(connection()) };
const action = { alert: alertName, isActive: false, policyKey: 'team/owners' } as Action;

async function confirmed(
  now: {
    policy?: RoleAlertPolicy | undefined;
    connection?: AnyConnection | undefined;
    namespace?: NamespaceMetadata | undefined;
  },
  gathered: object = {},
): Promise<string> {
  const asked: string[] = [];
  const cluster = {
    readPolicy: async (namespace: string, name: string) => {
      asked.push(`${namespace}/${name}`);
      return 'policy' in now ? now.policy : planned.policy;
    },
    readConnection: async (namespace: string | undefined, name: string) => {
      asked.push(`${namespace ?? ''}/${name}`);
      return 'connection' in now ? now.connection : planned.connection;
    },
    readNamespace: async (name: string) => {
      asked.push(name);
      return now.namespace;
    },
  };
  const policies = [input({ name: 'other' }), input()];
  const ref = { connection: 'team/prod', scope: 'subscriptions/a' };
  const known = { ref, policies, connection: planned.connection, ...gathered };
  const work = confirmDeactivation(cluster, known, action, new AbortController().signal);
  return work.then(
    () => asked.toSorted().join(),
    (error: { code: string }) => error.code,
  );
}

const changed = <T extends RoleAlertPolicy | AnyConnection>(object: T, metadata: object): T => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

describe('a deactivation', () => {
  it('goes out when the API server has the policy and the connection as they were planned from', async () => {
    const later = { resourceVersion: '99' };
    const now = { policy: changed(planned.policy, later), connection: changed(planned.connection, later) };
    expect(await confirmed(now)).toBe('team/owners,team/prod');
  });

  it.each([
    ['is gone', undefined],
    ['was re-created under its name', { uid: 'another' }],
    ['has another spec', { generation: 2 }],
    ['has an older spec', { generation: 0 }],
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('is planned again when its policy or its connection %s', async (_, metadata) => {
    const nowPolicy = metadata && changed(planned.policy, metadata);
    const nowConnection = metadata && changed(planned.connection, metadata);
    expect(await confirmed({ policy: nowPolicy })).toBe('plan-outdated');
    expect(await confirmed({ connection: nowConnection })).toBe('plan-outdated');
  });

  it.each([
    ['has an empty ledger', { ...planned.connection, status: pendingConnectionStatus }],
    ['has the dismissal of another alert', recorded(connection(), ledgerEntry({ alert: 'Other' }))],
    ['has the dismissal at another scope', recorded(connection(), { ...ledgerEntry(), scope: 'subscriptions/b' })],
    ['lacks the finalizer', changed(planned.connection, { finalizers: ['example.dev/hold'] })],
  ])('is planned again when its connection %s', async (_, now) => {
    expect(await confirmed({ connection: now })).toBe('plan-outdated');
  });

  it('is planned again when the caches do not hold what it was planned from', async () => {
    expect(await confirmed({}, { policies: [] })).toBe('plan-outdated');
    expect(await confirmed({}, { connection: undefined })).toBe('plan-outdated');
  });
});
