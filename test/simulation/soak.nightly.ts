// Weeks of drift and churn leave nothing behind. The long form is `npm run soak`.
import { expect, it } from 'vitest';

import { readResources } from './kube/resources.ts';
import { growthOf, runSoak } from './soak-run.ts';

it('four weeks of drift, with policies and connections that come and go, leave nothing behind', async () => {
  const { measures, leftovers, patches } = await runSoak({ seed: 1, days: 28, resources: await readResources() });
  expect(growthOf(measures)).toEqual([]);
  expect(leftovers).toEqual([]);
  expect(patches).toBeGreaterThan(28 * 30);
  expect(measures.at(-1)).toMatchObject({ queueDepth: 0, ledgerEntries: 6, errors: 0 });
});

it('reports whatever grows', () => {
  const names = ['timers', 'exchanges', 'series', 'queueDepth', 'ledgerEntries', 'errors', 'statusBytes', 'heapBytes'];
  const measures = Array.from({ length: 20 }, (_, day) => Object.fromEntries(names.map((name) => [name, day * 1e5])));
  expect(growthOf(measures as unknown as Parameters<typeof growthOf>[0])).toHaveLength(names.length);
});
