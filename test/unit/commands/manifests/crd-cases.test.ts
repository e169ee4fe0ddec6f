// The cases of the CRDs' rules and bounds, which test/cluster/crds-rules.test.ts runs against a real API server, decided without one;
// and the mistakes whose answers test/cluster/wrong-manifests.test.ts takes from it, found at the same fields.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { customResources } from '../../../../src/commands/manifests/custom-resources.ts';
import { fieldText } from '../../../../src/commands/manifests/problem.ts';
import { ManifestValidator } from '../../../../src/commands/manifests/validate-manifest.ts';
import { mergePatch, type SentObject } from '../../../simulation/kube/sent-object.ts';
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

interface Mistake {
  readonly mistake: string;
  readonly change: SentObject;
  readonly edits?: string;
  readonly says: readonly string[];
}

interface Table {
  readonly bases: Readonly<Record<string, SentObject>>;
  readonly mistakes: Readonly<Record<string, readonly Mistake[]>>;
}

const file = new URL('../../../fixtures/crds/wrong-manifests.yaml', import.meta.url);
const { bases, mistakes } = parse(readFileSync(file, 'utf8')) as Table;

/** The field that the API server names: at the beginning, or as the unknown one. */
const fieldIn = (line: string) => /unknown field "([^"]+)"/.exec(line)?.[1] ?? line.slice(0, line.indexOf(': '));

/** The API server names the members of an object where a list is wanted; the object itself is the problem. */
const isAtOrAround = (found: string, field: string) => found === field || field.startsWith(`${found}.`);

const plurals = Object.keys(bases).filter((plural) => plural !== 'secrets');
describe.each(plurals)('%s', (plural) => {
  const offline = (mistakes[plural] ?? []).filter(({ edits }) => edits === undefined);

  test.each(offline)('$mistake: the problem is at the field that the API server names', ({ change, says }) => {
    const { problems = [] } = validator.validate(mergePatch(bases[plural] ?? {}, change)) ?? {};
    const found = problems.map(({ path }) => fieldText(path));
    const missed = says.map(fieldIn).filter((field) => !found.some((each) => isAtOrAround(each, field)));
    expect({ change, found, missed }).toEqual({ change, found, missed: [] });
    expect(problems.filter(({ severity }) => severity === 'error')).not.toHaveLength(0);
  });
});
