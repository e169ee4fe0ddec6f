// The first round of small and large fleets, whether its cost grows faster than the fleet, and a restart with the largest one. Every
// object is stored in the real API server.
import { correctionsOf, describeFleet, fleetOf, type FleetShape } from '../../support/builders/fleet.ts';
import { type Findings, renderTable, wrongCount } from './compare.ts';
import { afterFirstRound } from './first-round.ts';
import type { Spent } from './meter.ts';
import { measureRestart, renderRestarts, type Restart, restartMistakes } from './restart.ts';
import type { Setup } from './setup.ts';
import type { Side } from './sides.ts';

interface SideResult {
  readonly name: string;
  readonly grown: readonly Grown[];
  readonly results: readonly Restart[];
}

/** `scopes`: the sizes of the fleets, in ascending order. */
export async function measureScale(setup: Setup, scopes: readonly number[]): Promise<Findings> {
  const shapes = scopes.map(fleetOf);
  const results: SideResult[] = [];
  for (const side of setup.sides) results.push(await measureSide(setup, side, shapes));
  const largest = shapes.at(-1) ?? fleetOf(0);
  return {
    text: [...results.map(({ name, grown }) => renderGrowth(name, grown)), renderRestarts(largest, results)].join('\n'),
    wrong: results
      .slice(0, 1)
      .flatMap(({ grown, results: restarts }) => [
        ...grown.flatMap(countMistakes),
        ...restarts.flatMap((restart) => restartMistakes(largest, restart)),
      ]),
  };
}

async function measureSide(setup: Setup, side: Side, shapes: readonly FleetShape[]): Promise<SideResult> {
  const grown: Grown[] = [];
  const results: Restart[] = [];
  for (const [index, shape] of shapes.entries()) {
    await afterFirstRound(setup, { side, name: `scale-${side.key}-${index}`, shape }, async (round) => {
      grown.push({ shape, spent: round.spent });
      if (index < shapes.length - 1) return;
      await round.operator.stop();
      results.push(await measureRestart(setup, side, round.place));
    });
  }
  return { name: side.name, grown, results };
}

function countMistakes({ shape, spent }: Grown): string[] {
  const mistakes = [
    ...wrongCount('LISTs', spent.lists, 2 * shape.scopes),
    ...wrongCount('PATCHes', spent.patches, correctionsOf(shape)),
    ...wrongCount('policy status writes', spent.policyStatusWrites, shape.scopes),
    ...wrongCount('events', spent.eventsCreated, shape.scopes),
  ];
  return mistakes.map((mistake) => `${describeFleet(shape)}: ${mistake}`);
}

interface Grown {
  readonly shape: FleetShape;
  readonly spent: Spent;
}

/** A column for each fleet, in ascending order. */
function renderGrowth(side: string, grown: readonly Grown[]): string {
  const [smallest] = grown;
  const row = (name: string, of: (one: Grown) => string, goal = '') => [name, ...grown.map(of), goal];
  const relative = (one: Grown) => (smallest ? cpuPerPolicy(one) / cpuPerPolicy(smallest) : NaN);
  return renderTable(`first round of ${side}`, [
    row('', ({ shape }) => describeFleet(shape), 'goal'),
    row('LISTs', ({ spent }) => String(spent.lists)),
    row('PATCHes', ({ spent }) => String(spent.patches)),
    row('policy status writes', ({ spent }) => String(spent.policyStatusWrites)),
    row('events', ({ spent }) => String(spent.eventsCreated)),
    row('wall time', ({ spent }) => `${spent.wallSeconds.toFixed(1)} s`),
    row('CPU', ({ spent }) => `${spent.cpuSeconds.toFixed(2)} s`),
    row('CPU per policy, to the smallest', (one) => relative(one).toFixed(2), 'linear: ≤ 1'),
    row('peak RSS', ({ spent }) => `${spent.peakMiB.toFixed(1)} MiB`),
  ]);
}

function cpuPerPolicy({ spent, shape }: Grown): number {
  return spent.cpuSeconds / shape.scopes;
}
