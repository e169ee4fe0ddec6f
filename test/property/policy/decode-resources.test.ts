// Objects of the cluster in any shape: what cannot be read is left out, what can be read is safe for everything behind it,
// and an invalid object affects no other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { CrdSchema } from '../../../src/lib/crds.ts';
import { decodeConnection, decodePolicy } from '../../../src/policy/decode-resources.ts';
import {
  pendingConnectionStatus,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../../../src/policy/resources.ts';
import { fuzz, mutated } from '../../support/builders/mutate-json.ts';
import { alert, alertName, at, connection, policy } from '../../support/builders/objects.ts';
import { crdSchema } from '../../support/checks/crd-schema.ts';
import { ControllerWorld } from '../../support/rigs/controller-world.ts';

const condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Succeeded',
  message: 'Everything is as declared.',
} as const;

const dismissal = { reason: 'tracked in SEC-1182', incidents: ['6f1c'], until: at(3_600_000) };

/** With every member that can be there. */
const fullPolicy: RoleAlertPolicy = policy({
  name: 'fuzzed',
  metadata: { labels: { team: 'a' }, annotations: { 'rolealerts.dev/requestedAt': 'now' } },
  spec: {
    interval: '15m',
    alerts: [
      { name: 'Other', state: 'Active' },
      { name: alertName, state: 'Inactive', dismissal },
      { name: 'Third', state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', maxIncidents: 3 } },
    ],
  },
  status: {
    observedGeneration: 1,
    lastHandledReconcileAt: 'then',
    conditions: [condition],
    history: [{ at: '2026-01-01T00:00:00Z', alert: alertName, direction: 'Activated', reason: 'Drift', count: 2 }],
  },
});

const record = { scope: 'subscriptions/a', alert: alertName, policy: 'team/fuzzed', since: '2026-01-01T00:00:00Z' };

const fullConnection: RoleAlertConnection = {
  ...connection({
    endpoint: { ...connection().spec.endpoint, caBundleRef: { kind: 'ConfigMap', name: 'ca', key: 'ca.crt' } },
    auth: {
      tokenSecretRef: { name: 'credentials', key: 'token' },
      federated: {
        tokenURL: 'https://login.example/token',
        clientID: 'operator',
        scopes: ['all'],
        serviceAccountName: 'alerts',
        audience: 'api://alerts',
      },
      clientCredentials: {
        tokenURL: 'https://login.example/token',
        clientID: 'operator',
        scopes: ['all'],
        clientSecretRef: { name: 'credentials', key: 'secret' },
      },
    },
  }),
  status: { observedGeneration: 1, conditions: [condition], policies: 1, scopes: 1, dismissals: [record] },
};

/** The operator with one good policy, and whatever can be read of the others. What it logs as an error is a bug. */
async function lookAt(policies: readonly unknown[], connections: readonly unknown[]): Promise<ControllerWorld> {
  const world = new ControllerWorld();
  world.live.set('subscriptions/a', [alert({ isActive: false })]);
  const readable = [
    ...connections.map((each) => decodeConnection(each).value),
    ...policies.map((each) => decodePolicy(each).value),
  ];
  for (const each of readable) if (each) world.apply(each);
  await world.start(60_000);
  for (const each of readable) if (each) world.apply(each);
  await world.clock.advance(3_600_000);
  for (const each of readable) if (each) world.remove(each);
  await world.clock.advance(60_000);
  await world.controller.stop();
  return world;
}

describe('a policy that comes through a watch', () => {
  it('in any shape neither throws nor keeps the others from being enforced', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(fullPolicy), async (json) => {
        const world = await lookAt([json, policy()], [connection()]);
        expect(world.errors).toEqual([]);
        expect(world.requests.length).toBeLessThan(2000);
      }),
      fuzz(150),
    );
  });

  it('is read only with the types that the rest relies on', async () => {
    const { spec } = await crdSchema('rolealertpolicies');
    expect(
      uncheckedMembers(spec, fullPolicy.spec, (changed) => decodePolicy({ ...fullPolicy, spec: changed })),
    ).toEqual([]);
  });
});

describe('a connection that comes through a watch', () => {
  it('in any shape neither throws nor asks in a loop', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(fullConnection), async (json) => {
        const world = await lookAt([fullPolicy, policy()], [json]);
        expect(world.errors).toEqual([]);
        expect(world.requests.length).toBeLessThan(2000);
      }),
      fuzz(150),
    );
  });

  it('is read only with the types that the rest relies on', async () => {
    const { spec } = await crdSchema('rolealertconnections');
    const decode = (changed: unknown) => decodeConnection({ ...fullConnection, spec: changed });
    expect(uncheckedMembers(spec, fullConnection.spec, decode)).toEqual([]);
  });

  it('keeps what can be read of the ledger and the recent deactivations whatever else its status holds', () => {
    const decode = (status: unknown) => decodeConnection({ ...fullConnection, status }).value?.status;
    const half = { scope: 's', alert: 'A' };
    const dismissals = [null, 7, half, { alert: 'B' }, record];
    const sent = { ...half, at: '2026-01-01T00:00:00Z', namespace: 'team' };
    const recentDeactivations = [null, 7, half, sent];
    expect(decode({ observedGeneration: 'x', dismissals, recentDeactivations })).toEqual({
      ...pendingConnectionStatus,
      dismissals: [{ ...half, policy: '', since: '1970-01-01T00:00:00Z' }, record],
      recentDeactivations: [sent],
    });
    expect(decode(5)).toEqual({ ...pendingConnectionStatus, dismissals: [], recentDeactivations: [] });
    expect(decode(fullConnection.status)).toBe(fullConnection.status);
  });
});

/** Members of the schema that may be of another type without being noticed. `document` has all of them that it can. */
function uncheckedMembers(
  schema: CrdSchema,
  document: unknown,
  decode: (changed: unknown) => { readonly value?: unknown },
  path = '',
): string[] {
  const wrong = schema.type === 'object' ? 'a text' : { not: 'this' };
  const own = path !== '' && decode(wrong).value !== undefined ? [path] : [];
  if (Array.isArray(document)) {
    const list: readonly unknown[] = document;
    const last = list.at(-1);
    const inItem = (changed: unknown) => decode([...list.slice(0, -1), changed]);
    return [...own, ...(schema.items ? uncheckedMembers(schema.items, last, inItem, `${path}[]`) : [])];
  }
  const inMembers = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const value = (document as Record<string, unknown> | undefined)?.[name];
    const inMember = (changed: unknown) => decode({ ...(document as object | undefined), [name]: changed });
    return uncheckedMembers(member, value, inMember, `${path}.${name}`);
  });
  return [...own, ...inMembers];
}

it('the documents that are mutated can be read themselves', () => {
  expect(decodePolicy(fullPolicy)).toEqual({ value: fullPolicy, problems: [] });
  expect(decodeConnection(fullConnection)).toEqual({ value: fullConnection, problems: [] });
});
