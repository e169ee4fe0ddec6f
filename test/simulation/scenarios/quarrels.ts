// Users who revert the operator's corrections: they flip an alert back right after its PATCH, before any list can show it, and do so again
// and again until the acts are over.
import { scopeOf } from '../oracles/declared.ts';
import type { World } from '../world.ts';
import { attempt, type Generators } from './generators.ts';
import { pick } from './schema-walker.ts';

const delaysMs = [0, 0, 3, 40, 600, 600, 2000, 5000];

export function startQuarrels(generators: Generators): void {
  const { world, random, actsUntilMs } = generators;
  startSweeper(generators);
  const delays = new Map<string, number | undefined>();
  for (const service of world.services) {
    service.onCall.push(({ kind, caller, scope, alert, isActive, status, wasActive }) => {
      if (kind !== 'patch' || caller === undefined || isActive === undefined || status !== 204) return;
      if (wasActive === isActive || world.time.nowMs > actsUntilMs) return;
      const key = `${scope} ${alert}`.toLowerCase();
      if (!delays.has(key)) delays.set(key, random.next() < 0.6 ? pick(random, delaysMs) : undefined);
      const delayMs = delays.get(key);
      if (delayMs === undefined) return;
      world.time.schedule(delayMs, () => service.turn(scope, alert, !isActive, pick(random, ['User', 'Application'])));
      if (random.next() < 0.6) world.time.schedule(delayMs + 100, () => askAgain(world, scope));
    });
  }
}

/** A program that turns one alert off, or on, whenever it finds it otherwise, and a policy that wants the opposite. */
function startSweeper({ world, random, actsUntilMs, place }: Generators): void {
  const { service, time, api } = world;
  const [scope, alert, isActive] = [
    pick(random, place.scopes),
    pick(random, place.alertNames.slice(0, 2)),
    random.next() < 0.4,
  ];
  const everyMs = pick(random, [500, 1500, 4000]);
  const sweep = () => {
    const found = service.find(scope, alert);
    if (found && found.isActive !== isActive) service.turn(scope, alert, isActive, 'Application');
    if (random.next() < 0.03) askAgain(world, scope);
    if (time.nowMs < actsUntilMs) time.schedule(everyMs, sweep);
  };
  time.schedule(everyMs, sweep);
  const until = new Date(Date.UTC(2026, 0, 1, 20)).toISOString().replace('.000', '');
  const line = isActive
    ? { name: alert, state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', until } }
    : { name: alert, state: 'Active' };
  const [interval = '30s'] = place.intervals;
  const spec = { connectionRef: { name: 'prod' }, scope, interval, alerts: [line] };
  attempt(() =>
    api.writes.create(api.resource('rolealertpolicies'), 'team-a', { metadata: { name: 'insisting' }, spec }),
  );
}

/** The user who flipped it then requests a reconcile, or wipes the status, which the operator writes again soon. */
function askAgain({ api, time, random }: World, scope: string): void {
  const policy = api.store.list('rolealertpolicies').find((each) => scopeOf(each) === scope.toLowerCase());
  if (!policy) return;
  const { namespace, name } = policy.metadata;
  const policies = api.resource('rolealertpolicies');
  if (random.next() < 0.6) attempt(() => api.writes.mergePatch(policies, namespace, name, { status: null }, 'status'));
  else {
    const annotations = { 'rolealerts.dev/requestedAt': String(time.nowMs) };
    attempt(() => api.writes.mergePatch(policies, namespace, name, { metadata: { annotations } }));
  }
}
