// Seeds of the simulation as cases: a violation is a failure. `ROLEALERTS_MUTATION_SEEDS` sets their number.
import { expect, test } from 'vitest';

import { readResources } from '../../simulation/kube/resources.ts';
import { runSeed } from '../../simulation/run-seed.ts';

const resources = await readResources();
const count = Number(process.env['ROLEALERTS_MUTATION_SEEDS'] ?? 40);

for (let seed = 1; seed <= count; seed++) {
  const mode = seed % 2 === 0 ? 'safety' : 'liveness';
  test(`seed ${seed} (${mode})`, async () => {
    const { violations } = await runSeed({ seed, mode, resources });
    expect(violations).toEqual([]);
  });
}
