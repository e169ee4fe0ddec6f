// The cases of the CRDs' rules and bounds, which test/cluster/crds-rules.test.ts runs against a real API server, decided without one.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { fieldText } from '../../../src/manifests/field-path.ts';
import { customResources } from '../../../src/manifests/generated/custom-resources.ts';
import { ManifestValidator } from '../../../src/manifests/validate-manifest.ts';
import { mergePatch, type SentObject } from '../../simulation/kube/sent-object.ts';

interface Case {
  readonly rule?: string;
  readonly field?: string;
  readonly says?: string;
  readonly onUpdate?: boolean;
  readonly status?: unknown;
  readonly refused: readonly SentObject[];
  readonly accepted: readonly SentObject[];
}

interface CaseFile {
  readonly base: SentObject;
  readonly rules: readonly Case[];
  readonly bounds: readonly Case[];
}

const readCases = (name: string) =>
  parse(readFileSync(new URL(`../../fixtures/crds/${name}`, import.meta.url), 'utf8')) as CaseFile;
const validator = new ManifestValidator(customResources);
const problemsOf = (object: unknown) =>
  (validator.validate(object)?.problems ?? []).map(({ path, message }) => ({ field: fieldText(path), message }));

describe.each(['policy-cases.yaml', 'connection-cases.yaml'])('%s', (name) => {
  const { base, rules, bounds } = readCases(name);
  // The others compare with a stored object, which a file does not have.
  const offline = [...rules, ...bounds].filter(({ onUpdate, status }) => onUpdate !== true && status === undefined);
  const all = offline.map((one) => ({ one, title: one.rule ?? `the bound of ${one.field}` }));

  test('the base is valid', () => {
    expect(problemsOf(base)).toEqual([]);
  });

  test.each(all)('$title is refused where it is broken', ({ one }) => {
    const field = one.field ?? one.rule?.split('/')[0] ?? '';
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
