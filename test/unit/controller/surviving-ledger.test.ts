// The ledger survives its connection: the statuses of the policies hold a copy, which a connection that is created again under the
// same name takes over.
import { describe, expect, test } from 'vitest';

import { KubeError } from '../../../src/kube/kube-error.ts';
import { abandonedEvents } from '../../../src/plan/events.ts';
import type { RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import { abandonAnnotation, type RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { errorOf } from '../../support/builders/errors.ts';
import { active, alertName, connection, firing, inactive, minuteMs, policy } from '../../support/builders/objects.ts';
import { FakeWorld } from '../../support/rigs/fake-world.ts';

const scope = 'subscriptions/a';
const endpoint = 'https://service.example vendor.authorization';
const hourMs = 60 * minuteMs;
const dismissing = policy({ spec: { alerts: [inactive({ incidents: ['a'] })] } });

/** A connection of the same name that was created later. */
function createdAgain(baseURL = 'https://service.example') {
  const again = connection({ endpoint: { ...connection().spec.endpoint, baseURL } });
  return { ...again, metadata: { ...again.metadata, uid: 'uid-again' } };
}

async function dismissed(): Promise<FakeWorld> {
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  world.apply(dismissing);
  world.controller.start();
  await world.clock.advance(5 * minuteMs);
  expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
  return world;
}

const ownersOf = (world: FakeWorld): RoleAlertPolicy => world.policies.get('team/owners') ?? policy();
const markOf = (world: FakeWorld) => {
  const { status } = ownersOf(world);
  return [status?.alerts?.[0]?.dismissedAt, status?.dismissalEndpoint];
};
const registerOf = (world: FakeWorld) => world.connections.get('team/prod')?.status?.dismissals ?? [];
const readyOf = (world: FakeWorld) =>
  ownersOf(world).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
const inSyncOf = (world: FakeWorld) =>
  ownersOf(world).status?.conditions?.find(({ type }) => type === 'InSync')?.message ?? '';

/** The next operator, after the connection was deleted while none ran. `edit`: what became of the policy meanwhile. */
async function withoutConnection(edit = (owners: RoleAlertPolicy) => owners): Promise<FakeWorld> {
  const before = await dismissed();
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, before.live.get(scope) ?? []);
  world.apply(edit(ownersOf(before)));
  return world;
}

function withActive(owners: RoleAlertPolicy): RoleAlertPolicy {
  const metadata = { ...owners.metadata, generation: 2 };
  return { ...owners, metadata, spec: { ...owners.spec, alerts: [{ name: 'Other', state: 'Active' }] } };
}

/** As a schema stores it that knows no marks. */
function withoutMarks(sent: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  const { dismissalEndpoint: _, alerts, ...status } = sent;
  const bare = alerts?.map(({ dismissedAt: __, ...row }) => row);
  return bare ? { ...status, alerts: bare } : status;
}

describe('the status of a policy', () => {
  test('marks a deactivation before it is sent, and keeps the mark while the ledger has the entry', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(dismissing);
    const seen: unknown[] = [];
    world.onRequest = ({ kind }) => {
      if (kind === 'patch') seen.push(markOf(world), registerOf(world)[0]?.since);
    };
    world.controller.start();
    await world.clock.advance(5 * minuteMs);
    const since = registerOf(world)[0]?.since;
    expect(since).toBeDefined();
    expect(seen).toEqual([[since, endpoint], since]);
    expect(markOf(world)).toEqual([since, endpoint]);
  });

  test('loses the mark when the ledger loses the entry', async () => {
    const world = await dismissed();
    const owners = ownersOf(world);
    const metadata = { ...owners.metadata, generation: 2 };
    world.apply({ ...owners, metadata, spec: { ...owners.spec, alerts: [active] } });
    await world.clock.advance(10 * minuteMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
    expect([registerOf(world), markOf(world)]).toEqual([[], [undefined, undefined]]);
  });

  test('keeps a row for an alert that it no longer declares and that is still inactive', async () => {
    const world = await dismissed();
    world.onRequest = ({ kind }) => {
      if (kind === 'patch') throw errorOf('alert-refused', 'no');
    };
    world.apply(withActive(ownersOf(world)));
    await world.clock.advance(12 * hourMs);
    expect(ownersOf(world).status?.alerts).toMatchObject([{ name: 'Other' }, { name: alertName, want: 'None' }]);
    expect(registerOf(world)).toHaveLength(1);
    expect(ownersOf(world).status?.alerts?.[1]?.dismissedAt).toBe(registerOf(world)[0]?.since);
  });

  test('holds the deactivation while it cannot be marked', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(dismissing);
    world.onStatusWrite = (kind) => {
      if (kind === 'policy') throw new KubeError('kube-unreachable', 'away');
    };
    world.controller.start();
    await world.clock.advance(hourMs);
    expect([world.count('patch'), registerOf(world)]).toEqual([0, []]);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(5 * minuteMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
  });

  test('is announced once when the API server refuses the mark, and writes no entry again and again', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(dismissing);
    world.onStatusWrite = (kind) => {
      if (kind === 'policy') throw new KubeError('kube-denied', 'no');
    };
    world.controller.start();
    await world.clock.advance(5 * minuteMs);
    const { writes } = world.connections;
    await world.clock.advance(hourMs);
    expect([world.connections.writes, world.count('patch'), registerOf(world)]).toEqual([writes, 0, []]);
    expect(world.events).toEqual(['StatusNotWritten owners']);
    world.onStatusWrite = () => undefined;
    await world.clock.advance(minuteMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
    expect(markOf(world)).toEqual([registerOf(world)[0]?.since, endpoint]);
  });

  test('is not sent while the schema of the cluster drops the mark, and the policy shows why', async () => {
    const world = new FakeWorld({ intervalMs: minuteMs });
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection());
    world.apply(dismissing);
    world.prune = withoutMarks;
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(readyOf(world)).toBe(
      `Alert ${alertName}: not deactivated, because the API server does not store dismissedAt: its CRDs are older than the operator. ` +
        "Apply the CRDs of the operator's version; a new value of the annotation rolealerts.dev/requestedAt then makes it try again at once.",
    );
    expect(world.condition('owners', 'Stalled')).toBe('True/CRDOutdated');
    const { writes } = world.connections;
    const lists = world.count('list');
    await world.clock.advance(hourMs);
    expect([world.connections.writes, registerOf(world)]).toEqual([writes, []]);
    expect(world.count('patch')).toBe(0);
    // One a minute, and one more for each try.
    expect(world.count('list') - lists).toBeLessThan(80);
    expect(world.events.filter((event) => event === 'CRDOutdated owners')).toHaveLength(1);
    world.prune = (status) => status;
    const metadata = { ...ownersOf(world).metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } };
    world.apply({ ...ownersOf(world), metadata });
    await world.clock.advance(5000);
    expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
    expect(markOf(world)).toEqual([registerOf(world)[0]?.since, endpoint]);
  });

  test('is written again only after an hour when the API server drops its marks', async () => {
    const world = await dismissed();
    world.prune = withoutMarks;
    const { status, ...owners } = ownersOf(world);
    world.apply({ ...owners, ...(status && { status: withoutMarks(status) }) });
    await world.clock.advance(minuteMs);
    const { writes } = world.policies;
    await world.clock.advance(50 * minuteMs);
    expect(world.policies.writes).toBe(writes);
    world.prune = (sent) => sent;
    await world.clock.advance(15 * minuteMs);
    expect(markOf(world)).toEqual([registerOf(world)[0]?.since, endpoint]);
  });

  test('marks one deactivation with one more write, and a repeated one with none', async () => {
    const world = await dismissed();
    const writes = () => world.policies.writes;
    expect(writes()).toBe(2);
    world.turn(scope, alertName, true);
    await world.clock.advance(5 * minuteMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: false }]);
    expect(writes()).toBe(3);
  });
});

describe('a connection that was deleted while no operator ran', () => {
  test('leaves policies that name the alerts which may be inactive, and where', async () => {
    const world = await withoutConnection();
    world.controller.start();
    await world.clock.advance(hourMs);
    expect(readyOf(world)).toBe(
      'Connection team/prod does not exist, or no operator serves it. Create it in the namespace of the policy, or create the policy again with the right ' +
        'spec.connectionRef. If it exists, compare its labels with --connection-selector of the operator. ' +
        `Alert ${alertName}: deactivated by the operator at ${endpoint} through this connection, and not ` +
        'proven active since. Create the connection again with that endpoint, or activate it in the service.',
    );
    expect(markOf(world)).toEqual([expect.any(String), endpoint]);
    expect(world.policies.writes).toBe(1);
  });

  test.each(['before', 'after'])(
    'passes its dismissals to one created %s the next operator, which keeps those that hold',
    async (when) => {
      const world = await withoutConnection();
      const [at] = markOf(world);
      if (when === 'before') world.apply(createdAgain());
      world.controller.start();
      await world.clock.advance(minuteMs);
      if (when === 'after') world.apply(createdAgain());
      await world.clock.advance(hourMs);
      expect([world.count('patch'), world.condition('owners', 'Ready')]).toEqual([0, 'True/Succeeded']);
      expect(registerOf(world)).toEqual([
        { scope, alert: alertName, policy: 'team/owners', since: at, incidents: 1, reason: 'tracked in SEC-1182' },
      ]);
      expect(markOf(world)).toEqual([at, endpoint]);
      expect(world.infos.filter((line) => line.startsWith('dismissals taken over'))).toHaveLength(1);
    },
  );

  test.each(['before', 'after'])(
    'passes its dismissals to one created %s the next operator, which activates what nothing declares',
    async (when) => {
      const world = await withoutConnection(withActive);
      if (when === 'before') world.apply(createdAgain());
      world.controller.start();
      await world.clock.advance(minuteMs);
      if (when === 'after') world.apply(createdAgain());
      await world.clock.advance(hourMs);
      expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
      expect([world.count('patch'), registerOf(world), markOf(world)]).toEqual([1, [], [undefined, undefined]]);
    },
  );

  test('passes nothing to a connection to another service, and the policy names what is left there', async () => {
    const world = await withoutConnection((owners) => withActive(owners));
    world.apply(createdAgain('https://other.example'));
    world.controller.start();
    await world.clock.advance(hourMs);
    expect([world.count('patch'), registerOf(world)]).toEqual([0, []]);
    expect(inSyncOf(world)).toContain(
      `Alert ${alertName}: deactivated by the operator at ${endpoint}, which the connection does not reach. Activate it there, or ` +
        'create the connection again with that endpoint.',
    );
    expect(ownersOf(world).status?.dismissalEndpoint).toBe(endpoint);
  });

  test('passes its dismissals once an edit lets the new connection reach the service', async () => {
    const world = await withoutConnection(withActive);
    const wrong = createdAgain('https://typo.example');
    world.apply(wrong);
    world.controller.start();
    await world.clock.advance(5 * minuteMs);
    const right = createdAgain();
    world.apply({ ...right, metadata: { ...right.metadata, generation: 2 } });
    await world.clock.advance(5 * minuteMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
    expect([world.count('patch'), markOf(world)]).toEqual([1, [undefined, undefined]]);
  });

  test('is an event once a dismissal at another service takes the place of the one that is left', async () => {
    const world = await withoutConnection();
    world.live.set(scope, [firing(['a'])]);
    world.apply(createdAgain('https://other.example'));
    world.controller.start();
    await world.clock.advance(hourMs);
    expect(markOf(world)[1]).toBe('https://other.example vendor.authorization');
    const dropped = world.recordedEvents.filter(({ reason }) => reason === 'DismissalDropped');
    expect(dropped.map(({ type, note }) => `${type}: ${note}`)).toEqual([
      `Warning: The operator deactivated alert ${alertName} at ${endpoint}, which the connection does not reach; the dismissal ` +
        'there is no longer recorded. Activate it there.',
    ]);
  });
});

test('a wiped ledger comes back from the statuses of the policies', async () => {
  const before = await dismissed();
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, before.live.get(scope) ?? []);
  world.apply(withActive(ownersOf(before)));
  world.apply({ ...connection(), status: { observedGeneration: -1 } });
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
});

test('a policy that comes back from a backup with its status brings its dismissals along', async () => {
  const before = await dismissed();
  const world = new FakeWorld({ intervalMs: minuteMs });
  world.live.set(scope, before.live.get(scope) ?? []);
  world.apply(createdAgain());
  world.controller.start();
  await world.clock.advance(minuteMs);
  const owners = withActive(ownersOf(before));
  world.apply({ ...owners, metadata: { ...owners.metadata, uid: 'uid-restored' } });
  await world.clock.advance(hourMs);
  expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
});

test('a forged mark causes nothing but an activation of an alert of the scope of its own policy', async () => {
  const world = new FakeWorld({ intervalMs: minuteMs });
  const other = 'subscriptions/b';
  world.live.set(scope, [firing(['a'], { isActive: false })]).set(other, [firing(['a'], { isActive: false })]);
  world.apply(connection());
  world.apply(policy({ spec: { alerts: [{ name: 'Other', state: 'Active' }] } }));
  world.apply(policy({ name: 'theirs', spec: { scope: other, alerts: [{ name: 'Other', state: 'Active' }] } }));
  const forged = { name: alertName, dismissedAt: '2026-01-01T00:00:00Z', incidents: { total: 0 } } as never;
  const status = { observedGeneration: 1, alerts: [forged], dismissalEndpoint: endpoint };
  world.apply(policy({ spec: { alerts: [{ name: 'Other', state: 'Active' }] }, status }));
  world.controller.start();
  await world.clock.advance(hourMs);
  expect(world.requests.filter(({ kind }) => kind === 'patch')).toMatchObject([{ scope, isActive: true }]);
});

describe('a connection that is deleted while the operator runs', () => {
  test('leaves no mark once its dismissals are released', async () => {
    const world = await dismissed();
    world.onRequest = () => {
      throw errorOf('service-unreachable', 'away');
    };
    world.remove(connection());
    await world.clock.advance(hourMs);
    expect(readyOf(world)).toContain('not proven active since');
    world.onRequest = () => undefined;
    await world.clock.advance(hourMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
    expect(markOf(world)).toEqual([undefined, undefined]);
    expect(readyOf(world)).toMatch(
      /^Connection team\/prod does not exist, or no operator serves it\..* of the operator\.$/,
    );
  });

  test('passes its dismissals to the next operator when this one ends first', async () => {
    const before = await dismissed();
    before.mayWrite = false;
    before.remove(connection());
    await before.clock.advance(10 * minuteMs);
    const world = new FakeWorld({ intervalMs: minuteMs });
    world.live.set(scope, before.live.get(scope) ?? []);
    world.apply(withActive(ownersOf(before)));
    world.apply(createdAgain());
    world.controller.start();
    await world.clock.advance(hourMs);
    expect(world.live.get(scope)).toMatchObject([{ isActive: true }]);
  });
});

describe('a connection that is deleted with the annotation to abandon its dismissals', () => {
  const annotated = {
    ...connection(),
    metadata: { ...connection().metadata, annotations: { [abandonAnnotation]: '' } },
  };

  test('leaves the alerts inactive, and an event and the log name them', async () => {
    const world = await dismissed();
    const { status } = world.connections.get('team/prod') ?? connection();
    world.apply({ ...annotated, ...(status && { status }) });
    await world.clock.advance(minuteMs);
    world.remove(annotated);
    await world.clock.advance(hourMs);
    expect([world.count('patch'), markOf(world)]).toEqual([1, [undefined, undefined]]);
    const abandoned = world.recordedEvents.filter(({ reason }) => reason === 'DismissalsAbandoned');
    expect(abandoned.map(({ type, regarding, note }) => [type, regarding.kind, note])).toEqual([
      [
        'Warning',
        'RoleAlertConnection',
        `Alert ${alertName} of scope ${scope} stays inactive: the connection was deleted with the annotation ` +
          'rolealerts.dev/abandon-dismissals. Declare the state Active, or activate it in the service. ' +
          'A new connection of this name may activate it.',
      ],
    ]);
    expect(world.warnings.filter((line) => line.startsWith('alerts left inactive'))).toHaveLength(1);
  });

  test('leaves events that name every alert of every scope', () => {
    const entries = Array.from({ length: 60 }, (_, index) => ({
      alert: `${index}-${'n'.repeat(200)}`,
      scope: `subscriptions/${index % 12}`,
    }));
    const notes = abandonedEvents([
      ...entries,
      ...Array.from({ length: 12 }, (_, index) => ({ alert: `s${index}`, scope })),
    ]);
    expect(notes.filter(({ note }) => Buffer.byteLength(note) > 1024 || / more of scope/.test(note))).toEqual([]);
    const isNamed = ({ alert, scope }: (typeof entries)[number]) =>
      notes.some(({ note }) => note.includes(alert) && note.includes(` of scope ${scope} `));
    expect(entries.filter((entry) => !isNamed(entry))).toEqual([]);
    expect(notes.filter(({ note }) => note.includes(` of scope ${scope} `))).toHaveLength(4);
  });

  test('passes nothing to one that is created again', async () => {
    const world = await dismissed();
    world.apply({ ...annotated, status: world.connections.get('team/prod')?.status ?? { observedGeneration: 1 } });
    world.remove(annotated);
    world.apply(withActive(ownersOf(world)));
    await world.clock.advance(minuteMs);
    world.apply(createdAgain());
    await world.clock.advance(hourMs);
    expect([registerOf(world), world.live.get(scope)?.[0]?.isActive]).toEqual([[], false]);
  });

  test('passes them to one that is created again at once, which activates what no policy dismisses, as the event says', async () => {
    const world = await dismissed();
    world.apply({ ...annotated, status: world.connections.get('team/prod')?.status ?? { observedGeneration: 1 } });
    world.remove(annotated);
    world.apply(createdAgain());
    world.apply(withActive(ownersOf(world)));
    await world.clock.advance(hourMs);
    expect(world.events).toContain('DismissalsAbandoned prod');
    expect([registerOf(world), world.live.get(scope)?.[0]?.isActive]).toEqual([[], true]);
    expect(markOf(world)).toEqual([undefined, undefined]);
  });
});
