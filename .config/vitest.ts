// The test tiers, one vitest project each. What belongs where: test/README.md.
import { defineConfig } from 'vitest/config';

const tier = (name: string, extra: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...extra },
});

/**
 * Tiers that start real servers run after the others, one tier after the other and one file at a time, so that control
 * planes do not compete for two cores.
 */
const serial = {
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 900_000,
  pool: 'forks' as const,
  globalSetup: 'test/support/control-plane-setup.ts',
};

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    // The gate counts from this file; it is in a folder that git ignores.
    reporters: ['default', ['json', { outputFile: '.rolealerts/test-results.json' }]],
    projects: [
      tier('unit'),
      tier('property'),
      tier('contract', { testTimeout: 30_000 }),
      tier('simulation', { testTimeout: 300_000 }),
      tier('tidy', { testTimeout: 60_000 }),
      tier('cluster', { ...serial, sequence: { groupOrder: 1 } }),
      tier('process', { ...serial, sequence: { groupOrder: 2 } }),
    ],
  },
});
