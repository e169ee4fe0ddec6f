// The initial state of a world: what its traits add to the drawn objects.
import { lastingKinds, refusingKinds } from '../faults/lasting-faults.ts';
import { otherOrigin, serviceOrigin } from '../world.ts';
import { setUpFleet } from './fleet.ts';
import { alertNames, drawAlert, type Generators, setUp } from './generators.ts';
import { setUpNeighbours } from './neighbours.ts';
import { startQuarrels } from './quarrels.ts';
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
