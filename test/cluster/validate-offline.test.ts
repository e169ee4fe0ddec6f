// `rolealerts validate` and a real API server agree: on whether a manifest is accepted, and on the fields that are wrong.
import { afterAll, beforeAll, expect, test } from 'vitest';

import { customResources } from '../../src/commands/manifests/custom-resources.ts';
import { fieldText } from '../../src/commands/manifests/problem.ts';
import { ManifestValidator } from '../../src/commands/manifests/validate-manifest.ts';
import { groupVersion } from '../../src/policy/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { mutatedManifests } from '../support/builders/mutated-manifests.ts';
import { crdCases, type CrdCaseFile } from '../support/checks/crd-cases.ts';
import { type ApiAnswer, openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const validator = new ManifestValidator(customResources);

/** Accepted changes of the fixtures, so that most fields of the schema are there to be changed. */
function basesOf({ base, rules }: CrdCaseFile): SentObject[] {
  const accepted = rules.flatMap((rule) => rule.accepted);
  return [base, ...accepted.map((change) => mergePatch(base, change) as SentObject)];
}

/** The fields that the API server refuses; empty when it accepts. Undefined for a refusal that names no field. */
function refusedFields({ status, body }: ApiAnswer): readonly string[] {
  if (status < 300) return [];
  const unknown = [...(body?.message ?? '').matchAll(/unknown field "([^"]+)"/g)].map(([, field = '']) => field);
  const causes = (body?.details?.causes ?? []).map(({ field }) => field).filter((field) => field !== '<nil>');
  return [...unknown, ...causes];
}

/** In an error of the schema the API server writes a key of a map like a field: `labels.a/b`. */
const inDots = (field: string) => field.replaceAll(/\[(\D[^\]]*)\]/g, '.$1');

/** An object of the wrong type has unknown members for the API server. */
const isAtOrAround = (found: string, field: string) =>
  found === field || field.startsWith(`${found}.`) || field.startsWith(`${found}[`);

describeWithControlPlane('manifests with random changes', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let namespace: string;
  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
  });
  afterAll(() => api.stop());

  test.each(crdCases)('of $plural are accepted and refused alike, at the same fields', async (resource) => {
    const { plural, isCluster, cases } = resource;
    const root = `/apis/${groupVersion}${isCluster ? '' : `/namespaces/${namespace}`}`;
    const path = `${root}/${plural}?dryRun=All&fieldValidation=Strict`;
    const disagreements: unknown[] = [];
    let refused = 0;
    for (const manifest of mutatedManifests(basesOf(cases), 500, 20_261_122 + crdCases.indexOf(resource))) {
      const answer = await api.send('POST', path, manifest);
      const problems = validator.validate(manifest)?.problems ?? [];
      const found = problems.map(({ path: field }) => inDots(fieldText(field)));
      const wanted = refusedFields(answer).map(inDots);
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
