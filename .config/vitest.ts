// The test tiers, one Vitest project each. test/README.md describes them. `--mode nightly` adds the files that end in .nightly.ts.
import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

import { TierTimes } from '../test/support/gate/tier-times.ts';

const cores = availableParallelism();

/** Files share a worker: no test keeps state in a module, and a new process for each file would take most of the time. */
const shared = { isolate: false };

/**
 * A slow or busy machine must not fail a test, so every limit is generous; the time limit of the whole run catches a hang. Only a hook
 * builds a control plane.
 */
const limits = { testTimeout: 900_000, hookTimeout: 1_800_000, expect: { poll: { timeout: 300_000 } } };

/** First: tiers that compute, and whose files take seconds. */
const computing = { ...shared, maxWorkers: cores, sequence: { groupOrder: 0 } };

/** Then: tiers that mostly wait for servers, beside the simulation, which computes. Each file uses its own namespaces, ports and schemas. */
const besideEachOther = { maxWorkers: 2 * cores, sequence: { groupOrder: 1 } };

/** Last, one file at a time: tests that pause processes, whose deadlines are real. */
const alone = { maxWorkers: 1, sequence: { groupOrder: 2 } };

const onProgram = { globalSetup: 'test/support/rigs/program-setup.ts' };
const onControlPlane = { globalSetup: [onProgram.globalSetup, 'test/support/servers/control-plane-setup.ts'] };
const onPostgres = { ...shared, globalSetup: 'test/support/servers/postgres-setup.ts' };

const pausesProcesses = ['test/process/chaos.test.ts', 'test/process/leader-election.test.ts'];

/** Takes the files of a group from its projects by turns, the longest first, so that those that wait run beside those that compute. */
class ByTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    const turns = [...byProject.values()].flatMap((own) =>
      own.map((file, index) => ({ file, turn: index / own.length })),
    );
    return turns.toSorted((a, b) => groupOf(a.file) - groupOf(b.file) || a.turn - b.turn).map(({ file }) => file);
  }
}

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;

export default defineConfig(({ mode }) => {
  const endings = mode === 'nightly' ? '{test,nightly}' : 'test';
  const tier = (name: string, ...extra: object[]) => ({
    extends: true as const,
    test: {
      name,
      include: [`test/${name}/**/*.${endings}.ts`],
      setupFiles: ['./test/support/gate/cpu-time.ts'],
      ...limits,
      ...Object.assign({}, ...extra),
    },
  });
  return {
    root: new URL('..', import.meta.url).pathname,
    test: {
      // The gate counts the tests from this file, which git ignores.
      reporters: ['default', ['json', { outputFile: '.rolealerts/test-results.json' }], new TierTimes()],
      sequence: { sequencer: ByTurns },
      projects: [
        tier('unit', computing),
        tier('property', computing),
        tier('contract', computing),
        tier('architecture', computing),
        tier('simulation', besideEachOther),
        tier('database', besideEachOther, onPostgres),
        tier('cluster', besideEachOther, onControlPlane),
        tier('process', besideEachOther, onControlPlane, { exclude: pausesProcesses }),
        tier('interop', besideEachOther, onProgram),
        tier('pauses', alone, onControlPlane, { include: pausesProcesses }),
      ],
    },
  };
});
