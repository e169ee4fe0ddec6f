// The first round of small and large fleets, whether its cost grows faster than the fleet, and a restart with the largest one. Every
// object is stored in the real API server.
import type { FleetShape } from '../../support/builders/fleet.ts';
import { afterFirstRound } from './first-round.ts';
import { renderGrowth, type Grown } from './growth.ts';
import { measureRestart, renderRestarts, restartMistakes, type Restart } from './restart.ts';
import type { Setup } from './setup.ts';
import { correctionsOf, denseFleetOf, describeFleet, eventsOf, fleetOf, policiesOf } from './shapes.ts';
import type { Side } from './sides.ts';
import { type Findings, wrongCount } from './table.ts';

interface SideResult {
  readonly name: string;
  readonly grown: readonly Grown[];
  readonly results: readonly Restart[];
}

/** `scopes`: the sizes of the fleets, in ascending order. */
export async function measureScale(setup: Setup, scopes: readonly number[]): Promise<Findings> {
  const shapes = [denseFleetOf(Math.min(1000, ...scopes)), ...scopes.map(fleetOf)];
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

/** A scope whose policies need more corrections than one batch is listed more often, and its policies may report twice. */
function countMistakes({ shape, spent }: Grown): string[] {
  const sparse = [
    ...wrongCount('LISTs', spent.lists, 2 * shape.scopes),
    ...wrongCount('policy status writes', spent.policyStatusWrites, policiesOf(shape)),
    ...wrongCount('events', spent.eventsCreated, eventsOf(shape)),
  ];
  const mistakes = [
    ...wrongCount('PATCHes', spent.patches, correctionsOf(shape)),
    ...(shape.policiesPerScope === 1 ? sparse : []),
  ];
  return mistakes.map((mistake) => `${describeFleet(shape)}: ${mistake}`);
}
