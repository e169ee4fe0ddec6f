// `rolealerts validate` and a real API server agree: on whether a manifest is accepted, and on the fields that are wrong.
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';

import { fieldText } from '../../src/manifests/field-path.ts';
import { customResources } from '../../src/manifests/generated/custom-resources.ts';
import { ManifestValidator } from '../../src/manifests/validate-manifest.ts';
import { groupVersion } from '../../src/policy/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { mutatedManifests } from '../support/builders/mutated-manifests.ts';
import { type ApiAnswer, openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const readYaml = async (path: string) => parse(await readFile(new URL(path, import.meta.url), 'utf8'));
const validator = new ManifestValidator(customResources);

/** Accepted changes of the fixtures, so that most fields of the schema are there to be changed. */
async function basesOf(name: string): Promise<SentObject[]> {
  const { base, rules } = await readYaml(`../fixtures/crds/${name}`);
  const accepted = (rules as readonly { readonly accepted: readonly SentObject[] }[]).flatMap((rule) => rule.accepted);
  return [base, ...accepted.map((change) => mergePatch(base, change) as SentObject)];
}

/** The fields that the API server refuses; empty when it accepts. Undefined for a refusal that names no field. */
function refusedFields({ status, body }: ApiAnswer): readonly string[] {
  if (status < 300) return [];
  const unknown = [...(body?.message ?? '').matchAll(/unknown field "([^"]+)"/g)].map(([, field = '']) => field);
  const causes = (body?.details?.causes ?? []).map(({ field }) => field).filter((field) => field !== '<nil>');
  return [...unknown, ...causes];
}

/** An object of the wrong type has unknown members for the API server. */
const isAtOrAround = (found: string, field: string) =>
  found === field || field.startsWith(`${found}.`) || field.startsWith(`${found}[`);

describeWithControlPlane('manifests with random changes', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let namespace: string;
  beforeAll(async () => {
    await controlPlane.applyCrds();
    namespace = await controlPlane.newNamespace();
  });
  afterAll(() => api.stop());

  test.each([
    ['rolealertpolicies', 'policy-cases.yaml', 20_261_122],
    ['rolealertconnections', 'connection-cases.yaml', 20_261_123],
  ])('of %s are accepted and refused alike, at the same fields', async (plural, file, seed) => {
    const path = `/apis/${groupVersion}/namespaces/${namespace}/${plural}?dryRun=All&fieldValidation=Strict`;
    const disagreements: unknown[] = [];
    let refused = 0;
    for (const manifest of mutatedManifests(await basesOf(file), 500, seed)) {
      const answer = await api.send('POST', path, manifest);
      const problems = validator.validate(manifest)?.problems ?? [];
      const found = problems.map(({ path: field }) => fieldText(field));
      const wanted = refusedFields(answer);
      if (answer.status >= 300) refused += 1;
      const isSame =
        answer.status < 300 === (found.length === 0) &&
        wanted.every((field) => found.some((each) => isAtOrAround(each, field)));
      if (!isSame)
        disagreements.push({ spec: manifest['spec'], answer: answer.body?.message ?? answer.status, problems });
    }
    expect(disagreements).toEqual([]);
    // Neither all nor none, or the comparison shows little.
    expect(refused).toBeGreaterThan(100);
    expect(refused).toBeLessThan(490);
  });
});
