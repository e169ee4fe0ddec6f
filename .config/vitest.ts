// The test tiers, one vitest project each. What belongs where: test/README.md.
import { defineConfig } from 'vitest/config';

const tier = (name: string, extra: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...extra },
});

/** Tiers that start real servers run one file at a time, so that two control planes never compete for two cores. */
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
    projects: [
      tier('unit'),
      tier('property'),
      tier('contract', { testTimeout: 30_000 }),
      tier('tidy', { testTimeout: 60_000 }),
      tier('cluster', serial),
      tier('process', serial),
    ],
  },
});
