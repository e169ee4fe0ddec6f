// Any sequence of edits that ends in a spec gives what creating that spec at once gives. Specs are drawn from the schema in crds/, valid
// and invalid ones; in between policies are suspended, deleted, re-created and reconciled on request, and two of them meet at one alert.
import { describe, expect, it } from 'vitest';

import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { SimAlert } from './alerts/sim-alert.ts';
import {
  conditionsOf,
  createFixture,
  createPolicy,
  deletePolicy,
  editPolicy,
  ledgerOf,
  policyOf,
  rowsOf,
} from './fixture.ts';
import { readResources } from './kube/resources.ts';
import type { Json } from './kube/spec-rules.ts';
import { alertNames, attempt, drawAlert, plainPlace } from './scenarios/generators.ts';
import { pick, spoil } from './scenarios/schema-walker.ts';
import { drawPolicySpec } from './scenarios/specs.ts';
import type { World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const names = ['owners', 'guests'] as const;
const minuteMs = 60_000;
const editsUntilMs = 10 * minuteMs;

function stageOf(seed: number): World {
  // A dismissal that is too long moves nothing, so the flag would show what was declared before.
  const connection = { limits: { maxDismissal: '8760h' } };
  const world = createFixture(resources, { seed, values: { leaderElect: false, interval: minuteMs }, connection });
  const random = seededRandom(seed);
  const alerts = alertNames.map((name): SimAlert => drawAlert({ random }, name));
  world.service.addScope(scope, alerts);
  return world;
}

/** On the one scope, and with no end that is near. */
function drawSpec(world: World, random: Random): Json {
  const spec = drawPolicySpec({ world, random, actsUntilMs: -3_600_000, place: plainPlace });
  const { suspend: _, suspendUntil: __, ...rest } = spec;
  const alerts = ((rest['alerts'] ?? []) as readonly Json[]).map(grantable);
  return { ...rest, ...(rest['alerts'] !== undefined && { alerts }), scope, connectionRef: { name: 'prod' } };
}

/** What is denied moves nothing, so its flag stays as whatever was declared before left it. */
function grantable(line: Json): Json {
  const { until, ...dismissal } = (line['dismissal'] ?? {}) as Json;
  const isFar = typeof until === 'string' && Date.parse(until) > Date.UTC(2026, 0, 20);
  return isFar ? { ...line, dismissal: { ...dismissal, until: '2026-01-02T00:00:00Z' } } : line;
}

const steps: Readonly<Record<string, (world: World, name: string, random: Random) => void>> = {
  edit: (world, name, random) => editPolicy(world, name, drawSpec(world, random)),
  'invalid edit': (world, name, random) => editPolicy(world, name, spoil(drawSpec(world, random), random) as Json),
  suspend: (world, name) => editPolicy(world, name, { ...policyOf(world, name)?.spec, suspend: true }),
  resume: (world, name) => editPolicy(world, name, { ...policyOf(world, name)?.spec, suspend: false }),
  delete: (world, name) => deletePolicy(world, name),
  create: (world, name, random) => createPolicy(world, name, drawSpec(world, random)),
  requestReconcile: ({ api }, name) => {
    const annotations = { 'rolealerts.dev/requestedAt': 'now' };
    api.writes.mergePatch(api.resource('rolealertpolicies'), 'team', name, { metadata: { annotations } });
  },
};

/** Edits for ten minutes, then the last specs, then rest. */
async function lived(seed: number, last: Readonly<Record<string, Json>>): Promise<World> {
  const world = stageOf(seed);
  const random = seededRandom(seed + 1);
  await world.startReplica();
  while (world.time.nowMs < editsUntilMs) {
    await world.time.runUntil(world.time.nowMs + random.next() * 30_000);
    const step = steps[pick(random, Object.keys(steps))];
    attempt(() => step?.(world, pick(random, names), random));
  }
  for (const [name, spec] of Object.entries(last)) {
    attempt(() => createPolicy(world, name, spec));
    editPolicy(world, name, { suspend: false, ...spec });
  }
  await world.time.runUntil(editsUntilMs + 40 * minuteMs);
  return world;
}

/** The last specs only, made in the order in which they were made there. */
async function created(seed: number, last: Readonly<Record<string, Json>>, there: World): Promise<World> {
  const world = stageOf(seed);
  await world.startReplica();
  const age = (name: string) => policyOf(there, name)?.metadata.creationTimestamp ?? '';
  const inOrder = Object.keys(last).toSorted((a, b) => (`${age(a)} ${a}` < `${age(b)} ${b}` ? -1 : 1));
  for (const name of inOrder) {
    createPolicy(world, name, last[name] ?? {});
    await world.time.runUntil(world.time.nowMs + 2000);
  }
  await world.time.runUntil(30 * minuteMs);
  return world;
}

/** What the specs determine: everything of what they declare, and that nothing else stays deactivated by the operator. */
function endOf(world: World) {
  return {
    policies: names.map((name) => [name, conditionsOf(policyOf(world, name)), rowsOf(policyOf(world, name))]),
    turnedOffUndeclared: [...world.dismissed.values()]
      .map(({ alert }) => alert.toLowerCase())
      .filter((alert) => !isDismissed(world, alert)),
    isLedgerTrue: ledgerOf(world).length === world.dismissed.size,
  };
}

function isDismissed(world: World, alert: string): boolean {
  const rows = names.flatMap((name) => rowsOf(policyOf(world, name)));
  return rows.some((row) => row.toLowerCase().startsWith(`${alert} inactive inactive`));
}

const runs = process.env['MODE'] === 'nightly' ? 40 : 12;

describe('a sequence of edits', () => {
  it(`gives the same as creating its end, ${runs} times`, async () => {
    for (let seed = 1; seed <= runs; seed++) {
      const random = seededRandom(seed + 2);
      const world = stageOf(seed);
      // In Observe mode a policy shows what was there before, whatever it declares.
      const last = Object.fromEntries(names.map((name) => [name, { ...drawSpec(world, random), mode: 'Enforce' }]));
      const there = await lived(seed, last);
      const here = await created(seed, last, there);
      expect(endOf(there), `seed ${seed}`).toEqual(endOf(here));
    }
  });
});
