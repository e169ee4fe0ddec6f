// The initial state of a world: what its traits add to the drawn objects.
import { lastingKinds, refusingKinds } from '../faults/lasting-faults.ts';
import { scopeOf } from '../oracles/declared.ts';
import { otherOrigin, serviceOrigin, type World } from '../world.ts';
import { setUpFleet } from './fleet.ts';
import { alertNames, attempt, drawAlert, type Generators, setUp } from './generators.ts';
import { setUpNeighbours } from './neighbours.ts';
import { pick } from './schema-walker.ts';

export function begin(generators: Generators): void {
  const { traits } = generators;
  setUp(generators);
  if (traits?.hasFleet) setUpFleet(generators);
  if (traits?.hasNeighbours) setUpNeighbours(generators);
  if (traits?.isQuarrelsome) startQuarrels(generators);
  if (traits?.moves) setUpOther(generators);
  if (traits?.hasFullLedger) fillLedger(generators);
  if (traits?.hasOldObjects) storeOldPolicies(generators);
  failForGood(generators, traits?.failingScopes ?? 0);
}

function setUpOther(generators: Generators): void {
  const { world, place } = generators;
  for (const scope of place.scopes) {
    world.otherService.addScope(
      scope,
      alertNames.slice(0, 3).map((name) => drawAlert(generators, name)),
    );
  }
}

/** The same scope never twice, and always enough left that works. */
function failForGood({ world, random, place, actsUntilMs }: Generators, count: number): void {
  const left = [...place.scopes];
  const isForAll = random.next() < 0.75;
  const isSameKind = random.next() < 0.5;
  const kinds = isForAll ? lastingKinds : refusingKinds;
  let name: string = pick(random, kinds);
  for (let index = 0; index < Math.min(count, place.scopes.length - 3); index++) {
    const [scope = ''] = left.splice(Math.floor(random.next() * left.length), 1);
    if (!isSameKind) name = pick(random, kinds);
    const fromMs = random.next() < 0.5 ? 0 : random.next() * actsUntilMs;
    const origin = random.next() < 0.95 ? serviceOrigin : otherOrigin;
    world.lasting.all.push({ origin, scope, name, fromMs, ...(!isForAll && { connection: 'team-a/prod' }) });
  }
}

/** As many dismissals as the schema lets a connection record, of alerts that are no longer listed. */
function fillLedger({ world, place }: Generators): void {
  const { store } = world.api;
  const connection = store.get('rolealertconnections', 'team-a/prod');
  if (!connection) return;
  const entry = { scope: place.scopes[0]?.toLowerCase(), policy: 'team-a/gone', since: '2025-12-31T23:00:00Z' };
  const dismissals = Array.from({ length: 500 }, (_, index) => ({ ...entry, alert: `Gone${index}` }));
  store.put('rolealertconnections', { ...connection, status: { observedGeneration: -1, conditions: [], dismissals } });
}

/** Dismissals without an end, without a reason, and with both kinds of a bound. */
function storeOldPolicies({ world, random, place }: Generators): void {
  const { store } = world.api;
  const dismissals = [
    { reason: 'tracked in SEC-1182', maxIncidents: 100_000 },
    { reason: '        ', until: '2026-01-01T20:00:00Z' },
    { reason: 'tracked in SEC-1182', maxIncidents: 3 },
  ];
  for (const policy of store.list('rolealertpolicies').slice(0, 2)) {
    const dismissal = pick(random, dismissals);
    const alerts = place.alertNames.slice(0, 2).map((name) => ({ name, state: 'Inactive', dismissal }));
    const { suspendUntil: _, ...before } = policy.spec ?? {};
    const spec = { ...before, mode: 'Enforce', suspend: false, alerts };
    store.put('rolealertpolicies', { ...policy, spec });
  }
}

const delaysMs = [0, 0, 3, 40, 600, 600, 2000, 5000];

/** Users who flip an alert back right after the operator's PATCH, before any list can show it, again and again until the acts are over. */
function startQuarrels(generators: Generators): void {
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
