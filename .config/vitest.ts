// The tests. test/README.md describes the tiers, which are folders of test/. `--mode nightly` adds the files that end in .nightly.ts.
import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { TierTimes } from '../test/support/gate/tier-times.ts';
import { tierOf } from '../test/support/gate/tiers.ts';
import { usualSeconds } from '../test/support/gate/usual-seconds.ts';

/**
 * Tiers that mostly wait for servers and clocks, and the simulation, whose files compute for long. They begin first, and the many short files
 * of the others fill the workers at the end.
 */
const longTiers = ['process', 'cluster', 'interop', 'simulation'];

/** Takes the files of the long tiers by turns, the longest first, so that those that wait run beside those that compute. */
class ByTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A worker serves one project. It ends when the next file is of another one.
    const [own, database] = [false, true].map((of) =>
      sorted.filter((file) => (file.project.name === 'database') === of),
    );
    const byTier = Map.groupBy(own ?? [], ({ moduleId }) => tierOf(moduleId));
    const long = longTiers.flatMap((tier) =>
      (byTier.get(tier) ?? []).map((file, index, all) => ({ file, turn: index / all.length })),
    );
    const short = [...byTier].flatMap(([tier, of]) => (longTiers.includes(tier) ? [] : of));
    return [...(database ?? []), ...long.toSorted((a, b) => a.turn - b.turn).map(({ file }) => file), ...short];
  }
}

export default defineConfig(({ mode }) => {
  const endings = mode === 'nightly' ? '{test,nightly}' : 'test';
  const of = (name: string, tiers: string, globalSetup: string[]) => ({
    extends: true as const,
    test: { name, include: [`test/${tiers}/**/*.${endings}.ts`], globalSetup },
  });
  const pods = of('pods', 'pods', ['test/support/pods/pods-setup.ts']);
  return {
    root: new URL('..', import.meta.url).pathname,
    test: {
      setupFiles: ['./test/support/gate/cpu-time.ts', './test/support/gate/property-seed.ts'],
      // Files share a worker: no test keeps state in a module, and a new process for each file would take most of the time.
      isolate: false,
      // The simulation takes a fifth less with a young generation that outlives its seeds.
      execArgv: ['--max-semi-space-size=64'],
      // More than cores, since many files wait.
      maxWorkers: 3 * availableParallelism(),
      // A slow or busy machine must not fail a test, so every limit is generous; the time limit of the whole run catches a hang. Only a hook
      // builds a control plane.
      testTimeout: 900_000,
      hookTimeout: 1_800_000,
      expect: { poll: { timeout: 300_000 } },
      // The gate counts the tests from this file, which git ignores.
      reporters: [
        'default',
        ['json', { outputFile: '.rolealerts/test-results.json' }],
        new TierTimes(mode === 'nightly' ? {} : usualSeconds),
      ],
      sequence: { sequencer: ByTurns },
      projects: [
        of('all', '!(database|pods)', [
          'test/support/rigs/program-setup.ts',
          'test/support/servers/control-plane-setup.ts',
        ]),
        // The same cases as in `contract`, and what is provided to a project decides where they run.
        of('database', 'database', ['test/support/servers/postgres-setup.ts']),
        // After all others, and two files at a time: their bounds are seconds, and a node mostly waits.
        { ...pods, test: { ...pods.test, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      ],
    },
  };
});
