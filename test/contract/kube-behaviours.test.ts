// The behaviours of API servers, on the simulated one. A real one runs the same cases in the cluster tier, so that the simulation
// matches reality.
import { beforeEach, describe } from 'vitest';

import { readResources } from '../simulation/kube/resources.ts';
import { SimKube } from '../simulation/kube/under-test.ts';
import { describeKubeBehaviours } from '../support/checks/kube-behaviours/describe-cases.ts';

const resources = await readResources();

describe('the simulated API server', () => {
  let kube: SimKube;

  beforeEach(() => {
    kube = new SimKube(resources);
  });

  describeKubeBehaviours(
    () => kube,
    (work) => kube.during(work),
  );
});
