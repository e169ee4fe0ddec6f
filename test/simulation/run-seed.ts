// One seed, from the first event to the verdict: it sets up a world, runs actions and faults, and then, in liveness mode, everything
// works again and has to come to rest.
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { PlanRecorder } from '../../src/operator/ports.ts';
import { countIn } from './coverage-counts.ts';
import { FaultPlan } from './faults/fault-plan.ts';
import { mangleLine } from './faults/watch-faults.ts';
import { conditionsOf } from './fixture.ts';
import type { SimResource } from './kube/resources.ts';
import { checkConvergence, hasOppositeDeclarations } from './oracles/convergence.ts';
import { checkLiveness, ListTimes } from './oracles/liveness.ts';
import type { Violation } from './oracles/oracle.ts';
import { checkSeries } from './oracles/series.ts';
import { kubeOrigin } from './replica.ts';
import { actions, deckOf, repairWorld } from './scenarios/actions.ts';
import { begin } from './scenarios/beginnings.ts';
import { type Generators, placeOf } from './scenarios/generators.ts';
import { probeEdits } from './scenarios/probes.ts';
import { pick } from './scenarios/schema-walker.ts';
import { storyOf } from './scenarios/stories.ts';
import { Scene } from './scenarios/stories/scene.ts';
import { Script } from './scenarios/stories/script.ts';
import { drawTraits, namesOf, type OwnDraws, type Traits } from './scenarios/traits.ts';
import { Verdicts } from './verdicts.ts';
import { World } from './world.ts';

/** `safety`: faults to the end. `liveness`: they stop, and then progress is demanded. `directed`: one story, and no other fault. */
export type Mode = 'safety' | 'liveness' | 'directed';

export interface SeedOptions {
  readonly seed: number;
  readonly mode: Mode;
  readonly resources: readonly SimResource[];
  /** Receives the plans of every replica. */
  readonly recorder?: PlanRecorder | undefined;
}

export interface SeedResult {
  readonly seed: number;
  readonly mode: Mode;
  readonly violations: readonly Violation[];
  readonly traceHash: string;
  readonly tail: readonly string[];
  /** By name: faults, acts and reasons. */
  readonly counts: ReadonlyMap<string, number>;
  readonly events: number;
  readonly requests: number;
}

const minuteMs = 60_000;
/** Everything that waits longest: a slow reconcile (four intervals of two minutes), a breaker (five minutes), a write's two minutes. */
const convergeWithinMs = 25 * minuteMs;
const quietMs = 5 * minuteMs;
/** Deactivation is the dangerous direction, so it is what happens most. */
const dismissShare = 0.25;

/** What is special about the world of a seed. */
export function traitsOf(seed: number, mode: Mode): Traits {
  return drawTraits(randomOf(seed, mode), ownDrawsOf(seed));
}

function randomOf(seed: number, mode: Mode): Random {
  return seededRandom(seed * 7919 + (mode === 'safety' ? 1 : 2));
}

function ownDrawsOf(seed: number): OwnDraws {
  return { windowRandom: seededRandom(seed * 104_729 + 5), fleetRandom: seededRandom(seed * 1_299_709 + 7) };
}

export async function runSeed(options: SeedOptions): Promise<SeedResult> {
  return options.mode === 'directed' ? runDirected(options) : runDrawn(options);
}

async function runDrawn({ seed, mode, resources, recorder }: SeedOptions): Promise<SeedResult> {
  const random = randomOf(seed, mode);
  const own = ownDrawsOf(seed);
  const traits = drawTraits(random, own);
  const place = placeOf(traits, random);
  const actsUntilMs = (traits.isLong ? 12 : 1) * (4 + random.next() * 8) * minuteMs;
  const isRough = random.next() < 0.7;
  const lineFaultRate = isRough ? 0.02 : 0;
  const isForgetful = random.next() < 0.4;
  const isLagging = random.next() < 0.5;
  const world: World = new World({
    seed,
    resources,
    recorder,
    values: { interval: traits.isLong ? 10 * minuteMs : minuteMs },
    pageSize: pick(random, traits.alerts > 4 ? [15, 20] : [2, 50]),
    fateOf: (request) => plan.fateOf(request),
    mangle: (line) => mangleLine(line, random, plan.isOver ? 0 : lineFaultRate, (name) => count(name)),
    watchLagMs: () => (isLagging && !plan.isOver ? random.next() ** 4 * 10_000 : random.next() * 20),
    serviceLagMs: () => (isLagging && world.time.nowMs < actsUntilMs ? random.next() ** 3 * 30_000 : 0),
    isForgotten: () => isForgetful && !plan.isOver && random.next() < 0.1,
  });
  const count = (name: string) => countIn(world.counts, name);
  const plan = new FaultPlan({
    random,
    nowMs: () => world.time.nowMs,
    endsAtMs: isRough ? actsUntilMs : 0,
    slowUntilMs: traits.isSlow ? actsUntilMs : 0,
    kubeOrigin,
    counts: world.counts,
    isPatient: mode === 'safety',
  });
  const verdicts = new Verdicts(world);
  const reportFor = verdicts.reportFor.bind(verdicts);
  const lists = new ListTimes(world);

  for (const name of namesOf(traits)) count(name);
  const generators: Generators = { world, random, ...own, actsUntilMs, place, traits };
  begin(generators);
  const replicas = 1 + Math.floor(random.next() * 3);
  const values = replicas === 1 && random.next() < 0.3 ? { leaderElect: false } : {};
  for (let index = 0; index < replicas; index++) await world.startReplica(values);
  await act(generators, count);
  if (mode === 'liveness') await comeToRest(generators, lists, reportFor);
  await verdicts.end();
  return verdicts.resultOf({ seed, mode });
}

async function act(generators: Generators, count: (name: string) => void): Promise<void> {
  const { world, random, actsUntilMs, traits } = generators;
  const deck = deckOf(generators);
  const pauseMs = (2000 + random.next() * 30_000) * (traits?.isLong ? 6 : 1);
  while (world.time.nowMs < actsUntilMs) {
    await world.time.runUntil(Math.min(world.time.nowMs + random.next() * pauseMs, actsUntilMs));
    const name = random.next() < dismissShare ? 'dismiss' : pick(random, deck);
    world.note(`--- ${name}`);
    count(`act ${name}`);
    actions[name]?.(generators);
  }
}

/** Acts that are still in progress end first; then time passes without faults, and then nothing may change. */
async function comeToRest(
  generators: Generators,
  lists: ListTimes,
  reportFor: (oracle: string) => (what: string) => void,
): Promise<void> {
  const { world, traits } = generators;
  const unit = traits?.isLong ? 8 : 1;
  await world.time.runUntil(world.time.nowMs + 2 * minuteMs);
  await repairWorld(generators);
  world.note('--- everything works');
  const calmSinceMs = world.time.nowMs;
  const checkEdits = probeEdits(generators);
  await world.time.runUntil(world.time.nowMs + unit * convergeWithinMs);
  checkConvergence(world, reportFor('everything becomes as it is wanted'));
  checkLiveness(world, lists, calmSinceMs, reportFor('nothing else of a connection waits for one that fails'));
  checkEdits(reportFor('an edit waits for no other scope'));
  await checkSeries(world, reportFor('metrics exist only for existing objects'));
  const before = world.mutations;
  const wasHeld = isHeldForNow(world);
  await world.time.runUntil(world.time.nowMs + unit * quietMs);
  const report = reportFor('nothing is written once everything is as wanted');
  // Permanent failures are reported repeatedly, opposite declarations are repeated, and within hours dismissals end.
  const isLasting = world.lasting.all.length > 0 || hasOppositeDeclarations(world);
  const isCalm = !isLasting && !traits?.isLong && !wasHeld && !isHeldForNow(world);
  if (world.mutations > before && isCalm) report(`${world.mutations - before} writes: ${world.lastMutation}`);
}

/** What waits for the hour, the damping, a correction window, a right, or the interval after which a missing alert stalls, changes later. */
function isHeldForNow(world: World): boolean {
  return world.api.store.list('rolealertpolicies').some((policy) => {
    const conditions = conditionsOf(policy).join();
    return (
      /DeactivationLimited|Flapping|Window|CorrectionFailed/.test(conditions) ||
      (conditions.includes('Ready=False/AlertNotFound') && !conditions.includes('Stalled=True')) ||
      // A graver condition may hide what holds one of the alerts.
      JSON.stringify(policy.status?.['alerts'] ?? []).includes('"result":"Held"')
    );
  });
}

/** What happened last in the story may still be corrected, or be shown by the next write. */
const settleMs = 60_000;

/** A small world without faults, one story, and the verdict of every oracle. */
async function runDirected({ seed, mode, resources, recorder }: SeedOptions): Promise<SeedResult> {
  const script = new Script();
  const world = new World({
    seed,
    resources,
    recorder,
    fateOf: (request) => script.fateOf(request),
    watchLagMs: () => script.watchLagMs,
    serviceLagMs: () => script.serviceLagMs,
  });
  const { name, play } = storyOf(seed);
  const verdicts = new Verdicts(world);
  countIn(world.counts, `story ${name}`);
  world.note(`--- ${name}`);
  const report = verdicts.reportFor(`story: ${name}`);
  await play(new Scene({ world, random: seededRandom(seed * 7919 + 3), script, report }));
  await world.time.runUntil(world.time.nowMs + settleMs);
  checkConvergence(world, verdicts.reportFor('everything becomes as it is wanted'));
  await checkSeries(world, verdicts.reportFor('metrics exist only for existing objects'));
  await verdicts.end();
  return verdicts.resultOf({ seed, mode });
}
