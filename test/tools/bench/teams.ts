// What grants cost: 1,000 policies of 40 namespaces on one ClusterRoleAlertConnection, and at the same time the same policies in one
// namespace with its own connection. Each has a control plane, a service and a core of its own, and they change cores every round:
// by turns, the machine's speed varies from run to run by more than the difference that counts.
import type { FleetShape } from '../../support/builders/fleet.ts';
import { renderComparison, type Measure } from './compare.ts';
import { afterFirstRound } from './first-round.ts';
import type { Spent } from './meter.ts';
import { openSetup, type Setup } from './setup.ts';
import { correctionsOf, describeFleet, eventsOf, policiesOf } from './shapes.ts';
import { speedShape } from './speed-runs.ts';
import { geometricMean } from './statistics.ts';
import { countRow, type Findings, wrongRows } from './table.ts';

const shapes: readonly { readonly name: string; readonly key: string; readonly shape: FleetShape }[] = [
  { name: '40 namespaces', key: 'teams', shape: { ...speedShape, namespaces: 40 } },
  { name: 'one namespace', key: 'team', shape: speedShape },
];

const measures: readonly Measure<Spent>[] = [
  { name: 'LISTs', unit: '', digits: 0, of: ({ lists }) => lists, goal: String(2 * speedShape.scopes) },
  { name: 'PATCHes', unit: '', digits: 0, of: ({ patches }) => patches, goal: String(correctionsOf(speedShape)) },
  { name: 'CPU', unit: 's', digits: 2, of: ({ cpuSeconds }) => cpuSeconds, goal: '/ one namespace ≤ 1.03' },
  { name: 'peak RSS', unit: 'MiB', digits: 1, of: ({ peakMiB }) => peakMiB },
  { name: "API server's CPU", unit: 's', digits: 2, of: ({ apiServerCpuSeconds }) => apiServerCpuSeconds },
];

const cores = [0, 1] as const;

/** `rounds`: made even, so that each shape runs on each core equally often. */
export async function measureTeams(rounds: number): Promise<Findings> {
  const lanes = await Promise.all(cores.map((core) => openSetup([], core)));
  try {
    const subjects = shapes.map((each) => ({ ...each, results: [] as Spent[] }));
    for (let round = 0; round < Math.ceil(rounds / 2) * 2; round += 1)
      await runTogether(round % 2 === 0 ? lanes : lanes.toReversed(), subjects, round);
    return {
      text: [
        renderComparison(`${describeFleet(speedShape)}, first round`, subjects, measures),
        renderRatios('CPU', subjects, ({ cpuSeconds }) => cpuSeconds),
        renderRatios("API server's CPU", subjects, ({ apiServerCpuSeconds }) => apiServerCpuSeconds),
      ].join('\n'),
      wrong: wrongRows(subjects.flatMap(({ results }) => results).flatMap(countsOf)),
    };
  } finally {
    for (const lane of lanes) await lane.stop();
  }
}

type Subject = (typeof shapes)[number] & { readonly results: Spent[] };

/** The operators start together, and nothing is deleted before both are at rest. */
async function runTogether(lanes: readonly Setup[], subjects: readonly Subject[], round: number): Promise<void> {
  const [allReady, allDone] = [new Meeting(lanes.length), new Meeting(lanes.length)];
  const run = async (lane: Setup, { key, shape, results }: Subject) => {
    const [side] = lane.sides;
    const options = { side, name: `${key}-${round}`, shape, ready: () => allReady.join() };
    await afterFirstRound(lane, options, async ({ spent }) => {
      results.push(spent);
      lane.announce(`${options.name}: ${spent.cpuSeconds.toFixed(2)} s of CPU`);
      await allDone.join();
    });
  };
  const runs = lanes.flatMap((lane, index) => subjects.slice(index, index + 1).map((subject) => run(lane, subject)));
  for (const each of runs) each.catch((error: unknown) => [allReady, allDone].forEach((one) => one.cancel(error)));
  // A run that fails ends the others, which clean up.
  await Promise.allSettled(runs);
  await Promise.all(runs);
}

/** Each participant waits for the others. */
class Meeting {
  readonly #all = Promise.withResolvers<void>();
  #missing: number;

  constructor(participants: number) {
    this.#missing = participants;
    this.#all.promise.catch(() => undefined);
  }

  join(): Promise<void> {
    this.#missing -= 1;
    if (this.#missing === 0) this.#all.resolve();
    return this.#all.promise;
  }

  /** The others reject. */
  cancel(error: unknown): void {
    this.#all.reject(error);
  }
}

/** Of the rounds, because both shapes of a round met the same conditions. */
function renderRatios(name: string, [first, second]: readonly Subject[], of: (spent: Spent) => number): string {
  const ratios = (first?.results ?? []).map((spent, round) => of(spent) / of(second?.results[round] ?? spent));
  const each = ratios.map((ratio) => ratio.toFixed(2)).join(' ');
  return `  ${name}, ratio of the rounds: ${geometricMean(ratios).toFixed(3)} (${each})`;
}

function countsOf({ lists, patches, policyStatusWrites, eventsCreated }: Spent) {
  return [
    countRow('LISTs', lists, 2 * speedShape.scopes),
    countRow('PATCHes', patches, correctionsOf(speedShape)),
    countRow('policy status writes', policyStatusWrites, policiesOf(speedShape)),
    countRow('events', eventsCreated, eventsOf(speedShape)),
  ];
}
