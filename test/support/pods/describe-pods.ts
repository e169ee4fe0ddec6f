// `describe` with a cluster that has pods, of the tests of one file.
import { afterAll, describe, inject, it } from 'vitest';

import { startPodCluster, type PodCluster } from './pod-cluster.ts';

// oxlint-disable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests -- a describe of our own, not a test: title and body are its caller's
/** Skipped with the reason where pods cannot run. */
export function describeWithPods(name: string, body: (cluster: PodCluster) => void): void {
  const provided = inject('pods');
  if ('whyNot' in provided) {
    describe(name, () => it.skip(provided.whyNot, () => undefined));
    return;
  }
  describe(name, async () => {
    const cluster = await startPodCluster(provided.images);
    afterAll(() => cluster.stop());
    body(cluster);
  });
}
// oxlint-enable vitest/valid-title, vitest/valid-describe-callback, vitest/no-disabled-tests, vitest/no-conditional-tests
