// The cases of the CRDs' rules and bounds, which test/cluster/crds-rules.test.ts runs against a real API server, decided without one.
// test/cluster/validate-offline.test.ts compares both for random manifests.
import { describe, expect, test } from 'vitest';

import { customResources } from '../../../../src/commands/manifests/custom-resources.ts';
import { fieldText } from '../../../../src/commands/manifests/problem.ts';
import { ManifestValidator } from '../../../../src/commands/manifests/validate-manifest.ts';
import { mergePatch } from '../../../simulation/kube/sent-object.ts';
import { crdCases, fieldOfCase, titleOfCase } from '../../../support/checks/crd-cases.ts';

const validator = new ManifestValidator(customResources);
const problemsOf = (object: unknown) =>
  (validator.validate(object)?.problems ?? []).map(({ path, message }) => ({ field: fieldText(path), message }));

describe.each(crdCases)('$plural', ({ cases: { base, rules, bounds } }) => {
  // The others compare with a stored object, which a file does not have.
  const offline = [...rules, ...bounds].filter(({ onUpdate, status }) => onUpdate !== true && status === undefined);
  const all = offline.map((one) => ({ one, title: titleOfCase(one) }));

  test('the base is valid', () => {
    expect(problemsOf(base)).toEqual([]);
  });

  test.each(all)('$title is refused where it is broken', ({ one }) => {
    const field = fieldOfCase(one);
    for (const change of one.refused) {
      const wanted = { field, message: expect.stringContaining(one.says ?? '') };
      expect({ change, problems: problemsOf(mergePatch(base, change)) }).toEqual({
        change,
        problems: expect.arrayContaining([expect.objectContaining(wanted)]),
      });
    }
  });

  test.each(all.filter(({ one }) => one.accepted.length > 0))('$title is accepted where it is kept', ({ one }) => {
    for (const change of one.accepted) {
      expect({ change, problems: problemsOf(mergePatch(base, change)) }).toEqual({ change, problems: [] });
    }
  });
});
