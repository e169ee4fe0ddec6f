// One seed, from the first event to the verdict: a world is set up, acts and faults happen, then, in liveness mode, everything
// works again and has to come to rest.
import { seededRandom } from '../../src/lib/random.ts';
import { FaultPlan } from './faults/fault-plan.ts';
import { mangleLine } from './faults/watch-faults.ts';
import type { SimResource } from './kube/resources.ts';
import { budgetOracle, retryAfterOracle } from './oracles/budget.ts';
import { checkConvergence } from './oracles/convergence.ts';
import { healthyOracle } from './oracles/healthy.ts';
import { hourlyOracle } from './oracles/hourly.ts';
import { leaseOracle } from './oracles/lease.ts';
import type { Oracle, Violation } from './oracles/oracle.ts';
import { patchOracle } from './oracles/patches.ts';
import { secretsOracle } from './oracles/secrets.ts';
import { statusOracle } from './oracles/status.ts';
import { kubeOrigin } from './replica.ts';
import { acts, deck, repairWorld } from './scenarios/acts.ts';
import { type Cast, setUp } from './scenarios/cast.ts';
import { pick } from './scenarios/schema-walker.ts';
import { conditionsOf } from './stage.ts';
import { World } from './world.ts';

/** `safety`: faults to the end. `liveness`: they stop, and then progress is demanded. */
export type Mode = 'safety' | 'liveness';

export interface SeedOptions {
  readonly seed: number;
  readonly mode: Mode;
  readonly resources: readonly SimResource[];
}

export interface SeedResult {
  readonly seed: number;
  readonly mode: Mode;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  readonly tail: readonly string[];
  /** By name: faults and acts. */
  readonly counts: ReadonlyMap<string, number>;
  /** Reasons, results, events, codes and log messages that came up. */
  readonly branches: ReadonlyMap<string, number>;
  readonly events: number;
  readonly requests: number;
}

const minuteMs = 60_000;
/** Everything that waits longest: a slow look (four intervals of two minutes), a breaker (five minutes), a write's two minutes. */
const convergeWithinMs = 25 * minuteMs;
const quietMs = 5 * minuteMs;
const oracles: readonly Oracle[] = [
  patchOracle,
  leaseOracle,
  budgetOracle,
  retryAfterOracle,
  hourlyOracle,
  statusOracle,
  secretsOracle,
  healthyOracle,
];

export async function runSeed({ seed, mode, resources }: SeedOptions): Promise<SeedResult> {
  const random = seededRandom(seed * 7919 + (mode === 'safety' ? 1 : 2));
  const actsUntilMs = (4 + random.next() * 8) * minuteMs;
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const violations: Violation[] = [];
  const isRough = random.next() < 0.8;
  const lineFaultRate = isRough ? 0.02 : 0;
  const isForgetful = random.next() < 0.4;
  const isLagging = random.next() < 0.5;
  const world: World = new World({
    seed,
    resources,
    values: { interval: minuteMs },
    pageSize: pick(random, [2, 50]),
    fateOf: (request) => plan.fateOf(request),
    mangle: (line) => mangleLine(line, random, plan.isOver ? 0 : lineFaultRate, count),
    watchLagMs: () => (isLagging && !plan.isOver ? random.next() ** 4 * 10_000 : random.next() * 20),
    serviceLagMs: () => (isLagging && !plan.isOver ? random.next() ** 3 * 30_000 : 0),
    isForgotten: () => isForgetful && !plan.isOver && random.next() < 0.1,
  });
  const plan = new FaultPlan({
    random,
    nowMs: () => world.time.nowMs,
    endsAtMs: isRough ? actsUntilMs : 0,
    kubeOrigin,
    counts,
    isPatient: mode === 'safety',
  });
  const reportFor = (oracle: string) => (what: string) => {
    if (violations.length > 20) return;
    violations.push({ oracle, atMs: world.time.nowMs, what });
    world.note(`*** ${oracle}: ${what}`);
  };
  for (const oracle of oracles) oracle.watch(world, reportFor(oracle.name));

  const cast: Cast = { world, random, actsUntilMs };
  setUp(cast);
  const replicas = 1 + Math.floor(random.next() * 3);
  const values = replicas === 1 && random.next() < 0.3 ? { leaderElect: false } : {};
  for (let index = 0; index < replicas; index++) await world.startReplica(values);
  await act(cast, count);
  if (mode === 'liveness') await comeToRest(cast, reportFor);
  await Promise.all([stopAll(world), world.time.runUntil(world.time.nowMs + 2 * minuteMs)]);
  for (const oracle of oracles) oracle.atEnd?.(world, reportFor(oracle.name));
  return {
    seed,
    mode,
    violations,
    traceHash: world.traceHash(),
    tail: world.tail,
    counts,
    branches: world.branches,
    events: world.time.count,
    requests: world.requests,
  };
}

async function act(cast: Cast, count: (name: string) => void): Promise<void> {
  const { world, random, actsUntilMs } = cast;
  const pauseMs = 2000 + random.next() * 30_000;
  while (world.time.nowMs < actsUntilMs) {
    await world.time.runUntil(Math.min(world.time.nowMs + random.next() * pauseMs, actsUntilMs));
    const name = pick(random, deck);
    world.note(`--- ${name}`);
    count(`act ${name}`);
    acts[name]?.(cast);
  }
}

/** Acts that are still under way end first; then time passes without faults, and then nothing may change. */
async function comeToRest(cast: Cast, reportFor: (oracle: string) => (what: string) => void): Promise<void> {
  const { world } = cast;
  await world.time.runUntil(world.time.nowMs + 2 * minuteMs);
  await repairWorld(cast);
  world.note('--- everything works');
  await world.time.runUntil(world.time.nowMs + convergeWithinMs);
  checkConvergence(world, reportFor('everything becomes as it is wanted'));
  const before = world.mutations;
  await world.time.runUntil(world.time.nowMs + quietMs);
  const report = reportFor('nothing is written once everything is as wanted');
  if (world.mutations > before && !isHeldForNow(world))
    report(`${world.mutations - before} writes: ${world.lastMutation}`);
}

/** What waits for the hour or the window to end goes on some time later. */
function isHeldForNow(world: World): boolean {
  const policies = world.api.store.list('rolealertpolicies');
  return policies.some((policy) => conditionsOf(policy).some((text) => /DeactivationLimited|Flapping/.test(text)));
}

async function stopAll(world: World): Promise<void> {
  await Promise.all(world.replicas.filter(({ isAlive }) => isAlive).map((replica) => replica.stop()));
}
