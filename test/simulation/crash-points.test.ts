// The operator dies right after each of its writes, to Kubernetes or to the service, with the response delivered or lost.
// Whatever was written by then, its successor reaches the same end state, even if the connection was deleted meanwhile and
// created again.
import { describe, expect, it } from 'vitest';

import type { SimExchange } from './engine/types.ts';
import {
  addScope,
  conditionsOf,
  createFixture,
  createPolicy,
  deleteConnection,
  deletePolicy,
  editPolicy,
  flagsOf,
  ledgerOf,
  policyOf,
  rowsOf,
} from './fixture.ts';
import { readResources } from './kube/resources.ts';
import type { World } from './world.ts';

const resources = await readResources();
const [one, two] = ['subscriptions/one', 'subscriptions/two'] as const;
const dismissed = (name: string) => ({
  name,
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', maxIncidents: 5, until: '2026-01-02T00:00:00Z' },
});
const active = (name: string) => ({ name, state: 'Active' });
const minuteMs = 60_000;

/** What happens, whenever the operator dies: corrections, dismissals that begin and end, an edit, a deletion, a reconcile request. */
const story: readonly (readonly [number, (world: World) => void])[] = [
  [
    5000,
    (world) => createPolicy(world, 'owners', { scope: one, interval: '1m', alerts: [active('A'), dismissed('B')] }),
  ],
  [9000, (world) => createPolicy(world, 'guests', { scope: two, interval: '1m', alerts: [dismissed('A')] })],
  [30_000, (world) => world.service.turn(one, 'A', false, 'User')],
  [
    60_000,
    (world) => editPolicy(world, 'owners', { interval: '1m', alerts: [active('A'), active('B'), dismissed('C')] }),
  ],
  [90_000, (world) => deletePolicy(world, 'guests')],
];

interface Crash {
  readonly atWrite: number;
  readonly isAnswered: boolean;
  /** What happens between the end and the next start. */
  readonly meanwhile?: (world: World) => void;
}

async function live(crash?: Crash): Promise<{ end: ReturnType<typeof endOf>; writes: number }> {
  let writes = 0;
  const world = createFixture(resources, {
    seed: 5,
    values: { leaderElect: false },
    fateOf: (request) => {
      const isHit = isWrite(request) && writes++ === crash?.atWrite && !crash.isAnswered;
      return isHit ? { kind: 'lose-answer' } : { kind: 'deliver' };
    },
  });
  let ended = 0;
  world.onExchange.push(({ request, outcome }) => {
    if (outcome === 'killed' || !isWrite(request) || ended++ !== crash?.atWrite) return;
    // In a turn of its own: what waited for the response has gone on as far as it can without another one.
    world.time.schedule(0, () => world.replicas[0]?.kill());
    world.time.schedule(1000, () => crash.meanwhile?.(world));
    world.time.schedule(3000, () => void world.startReplica());
  });
  addScope(world, one, { A: false, B: true, C: true, D: false });
  addScope(world, two, { A: true });
  for (const [atMs, act] of story) world.time.schedule(atMs, () => act(world));
  await world.startReplica();
  await world.time.runUntil(20 * minuteMs);
  return { writes, end: endOf(world) };
}

function isWrite({ method, path }: Pick<SimExchange['request'], 'method' | 'path'>): boolean {
  return method !== 'GET' && path !== '/token';
}

function endOf(world: World) {
  const owners = policyOf(world, 'owners');
  const guests = policyOf(world, 'guests');
  return {
    flags: flagsOf(world),
    ledger: ledgerOf(world),
    conditions: conditionsOf(owners),
    rows: rowsOf(owners),
    observedGeneration: owners?.status?.['observedGeneration'],
    guests: guests && rowsOf(guests),
  };
}

const reference = await live();

describe(`killed after each of ${reference.writes} writes`, () => {
  it('the story itself ends as declared', () => {
    expect(reference.end).toMatchObject({
      flags: [`${one} A=true`, `${one} B=true`, `${one} C=false`, `${one} D=false`, `${two} A=true`],
      ledger: [`C of ${one}`],
      observedGeneration: 2,
      guests: undefined,
    });
    expect(reference.writes).toBeGreaterThan(15);
  });

  it.each([
    ['the response delivered', true],
    ['the response lost', false],
  ])('everything ends the same with %s', async (_sentence, isAnswered) => {
    for (let atWrite = 0; atWrite < reference.writes; atWrite++) {
      const { end } = await live({ atWrite, isAnswered });
      expect(end, `killed after write ${atWrite}`).toEqual(reference.end);
    }
  });
});

describe('killed after a write, and the connection deleted before the next start', () => {
  it('the connection goes once every alert that it deactivated is active', async () => {
    const deactivated = new Set([`${one} B=false`, `${one} C=false`, `${two} A=false`]);
    for (let atWrite = 0; atWrite < reference.writes; atWrite++) {
      const { end } = await live({ atWrite, isAnswered: false, meanwhile: deleteConnection });
      const inactive = end.flags.filter((flag) => deactivated.has(flag));
      expect({ inactive, ledger: end.ledger }, `killed after write ${atWrite}`).toEqual({ inactive: [], ledger: [] });
    }
  });
});
