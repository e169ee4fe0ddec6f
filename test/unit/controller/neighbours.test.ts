// Policies of several connections to one service: whose claim counts there, from when, and until when.
import { describe, expect, test } from 'vitest';

import type { CodedError } from '../../../src/lib/errors.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { active, alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { neighbour, neighboursPolicy, NeighboursWorld as World, scope } from '../../support/rigs/neighbours-world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const until = '2026-01-20T00:00:00Z';
const dismissal = { alerts: [inactive({ until, maxIncidents: 5 })] };
const quiet = policy({ spec: dismissal });
const slowQuiet = policy({ spec: { ...dismissal, interval: '12h' } });
const guard = neighboursPolicy({ alerts: [active] });

/** A service with one alert that is active, and the team's own connection. */
function worldWith(...objects: readonly Parameters<World['apply']>[0][]): World {
  const world = new World();
  world.live.set(scope, [firing(['a'])]);
  for (const object of [connection(), ...objects]) world.apply(object);
  return world;
}

const failure = (code: ErrorCode, facts = {}) => errorOf(code, 'made to fail', facts);

describe('a connection that never listed the scope', () => {
  test.each<[string, CodedError]>([
    ['has no Secret', failure('credential-missing')],
    ['has a Secret without the label', failure('credential-not-allowed')],
    ['has a credential that is refused', failure('service-denied')],
    ['may not list the scope', failure('scope-forbidden')],
    ['gets a 404 for the scope', failure('scope-not-found')],
    ['cannot get a token', failure('token-endpoint-failed')],
    ['trusts another authority', failure('tls-failed')],
    ['has an address that is not allowed', failure('endpoint-invalid')],
    ['allows lists that are too small', failure('service-protocol', { reason: 'ListTooLarge' })],
  ])('and %s keeps no policy from dismissing', async (_, error) => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', error);
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test.each(['the policy is deleted', 'the grant is withdrawn'])(
    'and cannot list it keeps no alert inactive after %s',
    async (what) => {
      const world = worldWith(quiet, neighbour(), neighboursPolicy(dismissal));
      world.failing.set('neighbour/prod', failure('credential-missing'));
      world.controller.start();
      await world.clock.advance(1000);
      expect(world.isActive).toBe(false);
      if (what === 'the policy is deleted') world.remove(quiet);
      else {
        const { metadata } = connection();
        world.apply({ ...connection({ deactivation: 'Deny' }), metadata: { ...metadata, generation: 2 } });
      }
      await world.clock.advance(1000);
      expect(world.isActive).toBe(true);
    },
  );

  test('and dismisses nothing because it is older', async () => {
    const world = worldWith(quiet, neighbour(), neighboursPolicy(dismissal));
    world.failing.set('neighbour/prod', failure('service-denied'));
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod false']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });
});

describe('after a start no alert is deactivated', () => {
  test('before every other connection with a policy there was heard', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(5000);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/WaitingForClaims');
    expect(world.condition('owners', 'InSync')).toBe('False/WaitingForClaims');
    world.failing.clear();
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual([]);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test.each<[string, CodedError]>([
    ['is refused', failure('scope-forbidden')],
    ['has no credential', failure('credential-missing')],
  ])('but as soon as the other connection %s', async (_, error) => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(5000);
    world.failing.set('neighbour/prod', error);
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual(['team/prod false']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  test('but soon after the other connection was heard, whatever had the scope reconciled shortly before', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(10_000);
    const edit = async (object: typeof quiet, generation: number) => {
      world.apply({ ...object, metadata: { ...object.metadata, generation } });
      await world.clock.advance(500);
    };
    await edit(guard, 2);
    await edit(guard, 3);
    await edit(quiet, 2);
    world.failing.set('neighbour/prod', failure('scope-forbidden'));
    await edit(guard, 4);
    await world.clock.advance(10_000);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('but within a quarter of an hour, when the other connection is never heard', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-busy', { retryAfterMs: 24 * hourMs }));
    world.controller.start();
    await world.clock.advance(14 * minuteMs);
    expect(world.patches()).toEqual([]);
    await world.clock.advance(2 * minuteMs);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('and not because the wall clock steps forward', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.clock.stepWall(3 * hourMs);
    world.apply({ ...quiet, metadata: { ...quiet.metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual([]);
    await world.clock.advance(15 * minuteMs);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('and one whose spec changes all the time holds it no longer than that', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    for (let generation = 2; generation < 40; generation++) {
      const { metadata, ...rest } = neighbour({ auth: { tokenSecretRef: { name: `${generation}`, key: 'token' } } });
      world.apply({ ...rest, metadata: { ...metadata, generation } });
      await world.clock.advance(30_000);
    }
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test.each([
    ['suspended', { suspend: true }],
    ['observing', { mode: 'Observe' as const }],
  ])('nor is one waited for whose policy is %s', async (_, spec) => {
    const world = worldWith(quiet, neighbour(), neighboursPolicy({ alerts: [active], ...spec }));
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('and what was a conflict before is one still, without a write', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    await world.controller.stop();
    const next = new World();
    next.live.set(scope, world.live.get(scope) ?? []);
    for (const object of [...world.connections.objects.values(), ...world.policies.objects.values()])
      next.apply(object);
    next.failing.set('neighbour/prod', failure('service-busy', { retryAfterMs: minuteMs }));
    next.controller.start();
    await next.clock.advance(5000);
    next.failing.clear();
    await next.clock.advance(5 * minuteMs);
    expect(next.lists('neighbour/prod')).toBeGreaterThan(0);
    expect(next.events).toEqual([]);
    expect(next.patches()).toEqual([]);
    expect(next.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test('and what a neighbour declares inactive is not activated before that was heard', async () => {
    const world = worldWith(quiet, neighbour(), neighboursPolicy(dismissal));
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.remove(quiet);
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(false);
    await world.controller.stop();
    const next = new World();
    next.live.set(scope, world.live.get(scope) ?? []);
    for (const object of [...world.connections.objects.values(), ...world.policies.objects.values()])
      next.apply(object);
    next.failing.set('neighbour/prod', failure('service-unreachable'));
    next.controller.start();
    await next.clock.advance(5000);
    expect(next.patches()).toEqual([]);
    next.failing.clear();
    await next.clock.advance(hourMs);
    expect(next.patches()).toEqual([]);
  });
});

describe('a claim that is proven', () => {
  async function proven(): Promise<World> {
    const world = worldWith(quiet, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual([]);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    return world;
  }

  test.each<[string, CodedError]>([
    ['the service is away', failure('service-unreachable')],
    ['the service asks to wait', failure('service-busy', { retryAfterMs: hourMs })],
    ['the token endpoint is away', failure('token-endpoint-failed', { status: 503 })],
    ['the certificate of the service has run out', failure('tls-failed')],
  ])('stays while %s', async (_, error) => {
    const world = await proven();
    world.failing.set('neighbour/prod', error);
    await world.clock.advance(24 * hourMs);
    expect(world.patches()).toEqual([]);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test.each<[string, CodedError]>([
    ['its Secret is gone', failure('credential-missing')],
    ['its Secret lost the label', failure('credential-not-allowed')],
    ['its credential is refused', failure('service-denied')],
    ['its client is refused by the token endpoint', failure('token-endpoint-failed', { status: 401 })],
    ['the service forbids it the scope', failure('scope-forbidden')],
    ['the service does not know the scope from it', failure('scope-not-found')],
    ['the service rejects the scope from it', failure('service-rejected')],
  ])('ends when %s, and the others follow at once', async (_, error) => {
    const world = worldWith(slowQuiet, neighbour(), neighboursPolicy({ alerts: [active], interval: '1m' }));
    world.controller.start();
    await world.clock.advance(30_000);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    world.failing.set('neighbour/prod', error);
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual(['team/prod false']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  test('begins again with the first list after that, and the others follow at once', async () => {
    const world = await proven();
    world.failing.set('neighbour/prod', failure('credential-missing'));
    world.apply({ ...guard, metadata: { ...guard.metadata, annotations: { 'rolealerts.dev/requestedAt': '1' } } });
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(false);
    world.failing.clear();
    world.hasNewCredential = true;
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(true);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test('starts anew with another credential, not with another limit', async () => {
    const world = await proven();
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    const { metadata, spec } = neighbour();
    world.apply({ ...neighbour({ limits: { ...spec.limits, burst: 30 } }), metadata: { ...metadata, generation: 2 } });
    await world.clock.advance(hourMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    const changed = neighbour({ auth: { tokenSecretRef: { name: 'other', key: 'token' } } });
    world.apply({ ...changed, metadata: { ...metadata, generation: 3 } });
    await world.clock.advance(hourMs);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('does not compete under the name of a connection that was replaced', async () => {
    const world = await proven();
    world.failing.set('neighbour/prod', failure('service-denied'));
    world.remove(neighbour());
    world.apply(neighbour({}, 'uid-replaced'));
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('begins again on the other scopes of its connection, too', async () => {
    const world = worldWith(neighbour(), neighboursPolicy({ alerts: [active], interval: '1m' }));
    world.apply(neighboursPolicy({ scope: 'other', alerts: [active], interval: '12h' }, 'other'));
    world.controller.start();
    await world.clock.advance(30_000);
    world.failing.set('neighbour/prod', failure('credential-missing'));
    await world.clock.advance(minuteMs);
    world.failing.clear();
    world.hasNewCredential = true;
    const lists = () => world.requests.filter((request) => request.scope === 'other').length;
    const before = lists();
    await world.clock.advance(minuteMs);
    expect(lists()).toBe(before + 1);
  });

  test('ends with its policy, and the others follow at once', async () => {
    const world = worldWith(slowQuiet, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    world.remove(guard);
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('ends with its connection, and the others follow at once', async () => {
    const world = worldWith(slowQuiet, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    world.remove(neighbour());
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod false']);
    expect(world.condition('neighbour/theirs', 'Stalled')).toBe('True/ConnectionNotFound');
  });

  test('is waited for no longer than its connection is there', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.controller.start();
    await world.clock.advance(5000);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/WaitingForClaims');
    world.remove(neighbour());
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod false']);
  });

  test('ends with the grant of its connection, and the others follow at once', async () => {
    const world = worldWith(slowQuiet);
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.apply(neighbour());
    world.apply(neighboursPolicy({ ...dismissal, interval: '12h' }));
    await world.clock.advance(minuteMs);
    world.remove(slowQuiet);
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(false);
    const { metadata } = neighbour();
    const status = world.connections.get('neighbour/prod')?.status ?? { observedGeneration: 1 };
    world.apply({ ...neighbour({ deactivation: 'Deny' }), status, metadata: { ...metadata, generation: 2 } });
    await world.clock.advance(1000);
    expect(world.isActive).toBe(true);
  });

  test('has to be proven again after nothing was declared there for a while', async () => {
    const world = await proven();
    world.remove(guard);
    await world.clock.advance(minuteMs);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.turn(scope, alertName, true);
    world.apply(guard);
    world.apply({ ...quiet, metadata: { ...quiet.metadata, name: 'again', uid: 'again' } });
    await world.clock.advance(1000);
    expect(world.condition('again', 'Ready')).toBe('Unknown/WaitingForClaims');
  });

  test('counts when it is proven while another connection lists the scope', async () => {
    const world = worldWith(neighbour(), guard);
    world.apply(connection());
    let answered = 0;
    // The list of the team is answered after that of the neighbour.
    world.duringList = async () => {
      if (answered++ === 0) await new Promise<void>((resolve) => void world.clock.setTimer(1000, () => resolve()));
    };
    world.apply(quiet);
    world.controller.start();
    await world.clock.advance(1500);
    expect(world.requests.map(({ kind, connection: key }) => `${kind} ${key}`).slice(0, 2)).toEqual([
      'list team/prod',
      'list neighbour/prod',
    ]);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test('is not lost because of one other scope that gets a 401', async () => {
    const world = await proven();
    world.onRequest = (request) => {
      if (request.connection === 'neighbour/prod' && request.scope === 'strange') throw failure('service-denied');
    };
    world.apply(neighboursPolicy({ scope: 'strange', alerts: [active] }, 'strange'));
    await world.clock.advance(minuteMs);
    expect(world.patches()).toEqual([]);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });
});

test('a claim that ends because no list follows a 401 of its connection is followed at once', async () => {
  const world = worldWith(slowQuiet, neighbour(), guard);
  world.controller.start();
  await world.clock.advance(minuteMs);
  expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  world.onRequest = (request) => {
    if (request.connection !== 'neighbour/prod') return;
    throw failure(request.scope === 'strange' ? 'service-denied' : 'service-unreachable');
  };
  world.apply(neighboursPolicy({ scope: 'strange', alerts: [active] }, 'strange'));
  await world.clock.advance(4 * minuteMs);
  expect(world.patches()).toEqual([]);
  await world.clock.advance(2 * minuteMs);
  expect(world.patches()).toEqual(['team/prod false']);
});

describe('a connection that does not compete spends no request of another one', () => {
  test('by editing its policy again and again', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('credential-missing'));
    world.controller.start();
    await world.clock.advance(minuteMs);
    const before = world.lists('team/prod');
    for (let generation = 2; generation < 50; generation++) {
      world.apply({ ...guard, metadata: { ...guard.metadata, generation } });
      const { metadata, ...rest } = neighbour({ auth: { tokenSecretRef: { name: `${generation}`, key: 'token' } } });
      world.apply({ ...rest, metadata: { ...metadata, generation } });
      await world.clock.advance(1000);
    }
    expect(world.lists('team/prod')).toBe(before);
  });

  test('by coming and going again and again', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.failing.set('neighbour/prod', failure('credential-missing'));
    world.controller.start();
    await world.clock.advance(minuteMs);
    const before = world.lists('team/prod');
    for (let count = 0; count < 50; count++) {
      const there = world.connections.get('neighbour/prod');
      if (there) world.remove(there);
      await world.clock.advance(500);
      world.apply(neighbour({}, `uid-${count}`));
      await world.clock.advance(500);
    }
    expect(world.lists('team/prod')).toBe(before);
  });

  test('nor more than a few when it has one', async () => {
    const world = worldWith(quiet, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    const before = world.lists('team/prod');
    for (let generation = 2; generation < 62; generation++) {
      world.apply({ ...guard, metadata: { ...guard.metadata, generation } });
      await world.clock.advance(1000);
    }
    expect(world.lists('team/prod') - before).toBeLessThanOrEqual(13);
    expect(world.lists('team/prod') - before).toBeGreaterThanOrEqual(11);
  });
});

describe('spelling', () => {
  test.each([
    'https://SERVICE.example',
    'https://service.example:443/',
    'https://service.example//',
    'https://service.example./',
    'HTTPS://service.example',
    'https://serv%69ce.example',
  ])('%s is the same service', async (baseURL) => {
    const spec = neighbour().spec;
    const world = worldWith(quiet, neighbour({ endpoint: { ...spec.endpoint, baseURL } }), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
    expect(world.patches()).toEqual([]);
  });

  test.each([
    ['https://service.example/Base/v1', 'https://service.example/base/%761/'],
    ['https://service.example/a%2fb', 'https://service.example/a%2Fb'],
    ['https://service.example/x/../base', 'https://service.example/base'],
  ])('%s and %s are the same service', async (ours, theirs) => {
    const { endpoint } = connection().spec;
    const world = new World();
    world.live.set(scope, [firing(['a'])]);
    world.apply(connection({ endpoint: { ...endpoint, baseURL: ours } }));
    world.apply(quiet);
    world.apply(neighbour({ endpoint: { ...endpoint, baseURL: theirs } }));
    world.apply(guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });

  test.each(['https://service.example/other', 'https://service.example:8443', 'https://other.example'])(
    '%s is another service',
    async (baseURL) => {
      const spec = neighbour().spec;
      const world = worldWith(quiet, neighbour({ endpoint: { ...spec.endpoint, baseURL } }), guard);
      world.controller.start();
      await world.clock.advance(1000);
      expect(world.patches()).toContain('team/prod false');
    },
  );
});

describe('a correction that another connection makes', () => {
  const off = () => [firing(['a'], { isActive: false })];
  const own = policy({ spec: { alerts: [active], interval: '1h' } });

  test('is left to it, and followed at once', async () => {
    const world = worldWith(own, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.turn(scope, alertName, false);
    world.beforePatch = () => new Promise((resolve) => void world.clock.setTimer(4000, () => resolve()));
    world.apply({ ...own, metadata: { ...own.metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
    await world.clock.advance(500);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/WaitingForOwner');
    // After this list there is none by itself before 7 s.
    await world.clock.advance(5000);
    expect(world.patches()).toEqual(['neighbour/prod true']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  test('is made by this one when the other does not make it in time', async () => {
    const world = worldWith(own, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.live.set(scope, off());
    world.beforePatch = () => new Promise(() => undefined);
    world.apply({ ...own, metadata: { ...own.metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
    await world.clock.advance(20_000);
    expect(world.condition('owners', 'Ready')).toBe('Unknown/WaitingForOwner');
    world.beforePatch = async () => undefined;
    await world.clock.advance(20_000);
    expect(world.patches()).toEqual(['team/prod true']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  test('is made by this one at once while the other does not reach the service', async () => {
    const world = worldWith(own, neighbour(), guard);
    world.controller.start();
    await world.clock.advance(minuteMs);
    world.failing.set('neighbour/prod', failure('service-unreachable'));
    world.apply({ ...guard, metadata: { ...guard.metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
    await world.clock.advance(1000);
    world.live.set(scope, off());
    world.apply({ ...own, metadata: { ...own.metadata, annotations: { 'rolealerts.dev/requestedAt': 'now' } } });
    await world.clock.advance(1000);
    expect(world.patches()).toEqual(['team/prod true']);
    expect(world.condition('owners', 'Ready')).toBe('True/Succeeded');
  });

  test('activates what this one deactivated, else this one does', async () => {
    const world = worldWith(quiet);
    world.controller.start();
    await world.clock.advance(minuteMs);
    expect(world.isActive).toBe(false);
    world.apply(neighbour());
    // It may list the scope and change nothing there.
    world.onRequest = ({ kind, connection: key }) => {
      if (kind === 'patch' && key === 'neighbour/prod') throw failure('alert-refused');
    };
    world.apply(guard);
    await world.clock.advance(2 * minuteMs);
    expect(world.isActive).toBe(true);
    expect(world.condition('owners', 'Stalled')).toBe('True/ScopeConflict');
  });
});

test('a claim in doubt leaves no timer behind when the operator stops', async () => {
  const world = worldWith(quiet, neighbour(), guard);
  world.controller.start();
  await world.clock.advance(1000);
  world.onRequest = (request) => {
    if (request.connection !== 'neighbour/prod') return;
    throw failure(request.scope === 'strange' ? 'service-denied' : 'service-unreachable');
  };
  world.apply(neighboursPolicy({ scope: 'strange', alerts: [active] }, 'strange'));
  await world.clock.advance(minuteMs);
  const stopping = world.controller.stop(0);
  await world.clock.advance(1);
  await stopping;
  expect(world.clock.pendingTimers).toBe(0);
});
