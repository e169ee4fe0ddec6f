// The test tiers, one Vitest project each. test/README.md describes them.
import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

const tier = (name: string, extra: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...limits, ...extra },
});

/** Files share a worker: no test keeps state in a module, and a new process for each file would take most of the time. */
const shared = { isolate: false };

/**
 * A slow or busy machine must not fail a test, so every limit is generous; the time limit of the whole run catches a hang. Only a hook
 * builds a control plane.
 */
const limits = { testTimeout: 900_000, hookTimeout: 1_800_000, expect: { poll: { timeout: 300_000 } } };

/** Tiers that start real servers run after the others, one tier at a time. */
const withServers = {
  pool: 'forks' as const,
  globalSetup: 'test/support/servers/control-plane-setup.ts',
};

/** Runs alone, so that the server of its setup ends before the other tiers begin. */
const onPostgres = {
  ...shared,
  globalSetup: 'test/support/servers/postgres-setup.ts',
  fileParallelism: false,
  sequence: { groupOrder: 4 },
};

/** Three files at a time keep two cores busy, because these tests mostly wait. Each file uses its own namespaces. */
const besideEachOther = { ...withServers, maxWorkers: 3, sequence: { groupOrder: 2 } };

/** One file at a time, because these tests kill and stop processes, and the deadlines are real. */
const oneByOne = { ...withServers, fileParallelism: false, sequence: { groupOrder: 3 } };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // The gate counts the tests from this file, which git ignores.
    reporters: ['default', ['json', { outputFile: '.rolealerts/test-results.json' }]],
    // Vitest's default leaves one processor free, which would halve the speed on two.
    maxWorkers: availableParallelism(),
    projects: [
      tier('unit', shared),
      tier('property', shared),
      tier('contract', shared),
      tier('architecture', shared),
      // Runs alone, because it keeps every core busy, and the contract tier has real deadlines.
      tier('simulation', { sequence: { groupOrder: 1 } }),
      tier('database', onPostgres),
      tier('cluster', besideEachOther),
      tier('process', oneByOne),
      tier('interop', {
        fileParallelism: false,
        sequence: { groupOrder: 3 },
      }),
    ],
  },
});
