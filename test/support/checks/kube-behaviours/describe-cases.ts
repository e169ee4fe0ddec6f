// Runs every case, each in a namespace of its own.
import { describe, expect, it } from 'vitest';

import { accessCases } from './access-cases.ts';
import { builtInCases } from './built-in-cases.ts';
import { creationCases } from './creation-cases.ts';
import { deletionCases } from './deletion-cases.ts';
import { KubeCalls, type KubeUnderTest } from './kube-case.ts';
import { metadataCases } from './metadata-cases.ts';
import { readingCases } from './reading-cases.ts';
import { statusCases } from './status-cases.ts';
import { tokenCases } from './token-cases.ts';
import { updateCases } from './update-cases.ts';
import { watchCases } from './watch-cases.ts';

const tables = {
  creation: creationCases,
  updates: updateCases,
  status: statusCases,
  deletion: deletionCases,
  reading: readingCases,
  watching: watchCases,
  'metadata alone': metadataCases,
  'what is built in': builtInCases,
  access: accessCases,
  'tokens of ServiceAccounts': tokenCases,
};

/** `within` lets the time of that API server pass until the work is done. */
export function describeKubeBehaviours(
  open: () => KubeUnderTest,
  within: <Result>(work: Promise<Result>) => Promise<Result> = (work) => work,
): void {
  describe.each(Object.entries(tables))('%s', (_, cases) => {
    it.each(cases)('$says', async ({ run, gives }) => {
      const api = open();
      const seen = await within(api.newNamespace().then((namespace) => run(new KubeCalls(api, namespace))));
      expect(seen).toEqual(gives);
    });
  });
}
