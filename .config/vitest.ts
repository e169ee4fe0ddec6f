// The test tiers, one vitest project each. What belongs where: test/README.md.
import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

const tier = (name: string, extra: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...limits, ...extra },
});

/**
 * Files share a worker: nothing here keeps state in a module, and a fresh process for each file would take most of the time.
 */
const shared = { isolate: false };

/**
 * A slow or busy machine is no failure, so every tier has minutes; a hang is found by the limit of the whole run. Only a hook builds
 * a control plane.
 */
const limits = { testTimeout: 900_000, hookTimeout: 1_800_000, expect: { poll: { timeout: 300_000 } } };

/** Tiers that start real servers run after the others, and one tier after the other. */
const withServers = {
  pool: 'forks' as const,
  globalSetup: 'test/support/servers/control-plane-setup.ts',
};

/** Three files at a time keep two cores busy, since these tests wait most of the time. Each works in namespaces of its own. */
const besideEachOther = { ...withServers, maxWorkers: 3, sequence: { groupOrder: 2 } };

/** Here processes are killed and stopped, and their deadlines are real: one file at a time. */
const oneByOne = { ...withServers, fileParallelism: false, sequence: { groupOrder: 3 } };

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // The gate counts from this file; it is in a folder that git ignores.
    reporters: ['default', ['json', { outputFile: '.rolealerts/test-results.json' }]],
    // Vitest leaves one processor free, which on two would halve the speed.
    maxWorkers: availableParallelism(),
    projects: [
      tier('unit', shared),
      tier('property', shared),
      tier('contract', shared),
      tier('architecture', shared),
      // Alone, since it keeps every core busy, and the contract tier has real deadlines.
      tier('simulation', { sequence: { groupOrder: 1 } }),
      tier('cluster', besideEachOther),
      tier('process', oneByOne),
      tier('interop', {
        fileParallelism: false,
        sequence: { groupOrder: 3 },
      }),
    ],
  },
});
