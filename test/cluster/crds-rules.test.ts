// Every rule of the custom resources against a real API server: rejected with the documented message, at the
// right field, and accepted just inside the bound. The cases are data, so that the simulated API server can run them, too.
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { groupVersion } from '../../src/policy/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { crdCases, type CrdCase, fieldOfCase, titleOfCase } from '../support/checks/crd-cases.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';

interface Tree {
  readonly [key: string]: unknown;
}

const root = new URL('../..', import.meta.url);
const readYaml = async (path: string) => parse(await readFile(new URL(path, root), 'utf8'));
describeWithOwnControlPlane('the custom resources', (controlPlane) => {
  const api = openKubeRequests(controlPlane);
  let namespace: string;
  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
  });
  afterAll(() => api.stop());

  describe.each(crdCases)('$plural', ({ plural, isCluster, cases }) => {
    const collection = () =>
      isCluster ? `/apis/${groupVersion}/${plural}` : `/apis/${groupVersion}/namespaces/${namespace}/${plural}`;
    const all = [...cases.rules, ...cases.bounds].map((one) => ({ one, title: titleOfCase(one) }));

    beforeAll(async () => {
      await api.send('POST', collection(), cases.base);
      await api.send('POST', collection(), mergePatch(cases.base, { metadata: { name: 'used' } }));
    });

    const attempt = async (one: CrdCase, change: SentObject) => {
      const changed = mergePatch(cases.base, change);
      if (one.status) {
        expect(await api.send('PATCH', `${collection()}/used/status`, { status: one.status })).toMatchObject({
          status: 200,
        });
        return api.send(
          'PATCH',
          `${collection()}/used?dryRun=All`,
          mergePatch(changed, { metadata: { name: 'used' } }),
        );
      }
      if (one.onUpdate) return api.send('PATCH', `${collection()}/base?dryRun=All`, changed);
      return api.send('POST', `${collection()}?dryRun=All`, mergePatch(changed, { metadata: { name: 'tried' } }));
    };

    test.each(all)('$title is refused where it is broken', async ({ one }) => {
      for (const change of one.refused) {
        const { status, body } = await attempt(one, change);
        const wanted = { field: fieldOfCase(one), message: expect.stringContaining(one.says ?? '') };
        const causes = expect.arrayContaining([expect.objectContaining(wanted)]);
        expect({ change, status, causes: body?.details?.causes }).toEqual({ change, status: 422, causes });
      }
    });

    test.each(all.filter(({ one }) => one.accepted.length > 0))(
      '$title is accepted where it is kept',
      async ({ one }) => {
        for (const change of one.accepted) {
          const { status, body } = await attempt(one, change);
          const problem = status < 300 ? undefined : body?.message;
          expect({ change, problem }).toEqual({ change, problem: undefined });
        }
      },
    );

    test('every CEL rule of the schema has its cases', async () => {
      const crd = await readYaml(`crds/rolealerts.dev_${plural}.yaml`);
      const { openAPIV3Schema } = crd.spec.versions[0].schema;
      const shared = isCluster ? (crdCases[1]?.cases.rules ?? []) : [];
      const tried = [...shared, ...cases.rules].map((one) => one.rule);
      expect(new Set(tried)).toEqual(new Set(rulesOf(openAPIV3Schema, '')));
    });
  });
});

/** Paths of all rules, numbered where they stand: `spec.scope/0`. */
function rulesOf(schema: Tree, path: string): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []) as unknown[];
  const items = schema['items'] ? rulesOf(schema['items'] as Tree, `${path}[]`) : [];
  const members = Object.entries((schema['properties'] ?? {}) as Tree).flatMap(([key, member]) =>
    rulesOf(member as Tree, path === '' ? key : `${path}.${key}`),
  );
  return [...own.map((_, index) => `${path}/${index}`), ...items, ...members];
}
