// Every rule of the custom resources against a real API server: rejected with the documented message, at the
// right field, and accepted just inside the bound. The cases are data, so that the simulated API server can run them, too. And the status as
// one field of field managers (x-kubernetes-map-type: atomic).
import { readFile } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { fieldManager, groupVersion } from '../../src/policy/resources.ts';
import { mergePatch, type SentObject } from '../simulation/kube/sent-object.ts';
import { inSyncRow } from '../support/builders/objects.ts';
import { crdCases, type CrdCase, fieldOfCase, titleOfCase } from '../support/checks/crd-cases.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';

interface Tree {
  readonly [key: string]: unknown;
}

interface ManagedField {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: Readonly<Record<string, unknown>>;
}

const times = { lastTransitionTime: '2026-11-21T08:00:00Z' };
const condition = (type: string) => ({ type, status: 'True', reason: 'Succeeded', message: '', ...times });
const status = {
  observedGeneration: 1,
  conditions: [condition('Ready'), condition('InSync')],
  alerts: ['A', 'B', 'C'].map(inSyncRow),
};

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

  describe('the status as one field of field managers', () => {
    const pathOf = (version: string, name: string) =>
      `/apis/${version}/namespaces/${namespace}/rolealertpolicies/${name}`;
    const manifest = (version: string, name: string) => ({
      apiVersion: version,
      kind: 'RoleAlertPolicy',
      metadata: { name },
      spec: { connectionRef: { name: 'prod' }, scope: 'subscriptions/a', unlisted: { state: 'Active' } },
    });
    const apply = (manager: string, object: object, ...args: string[]) =>
      controlPlane.tryKubectl(
        ['apply', '--server-side', `--field-manager=${manager}`, '--namespace', namespace, '-f', '-', ...args],
        { input: JSON.stringify(object) },
      );
    /** Waits for the OpenAPI description, which the API server renews a moment after the CRD is established. */
    const explain = (path: string) =>
      eventually(`the description of ${path}`, async () => {
        const { exitCode, stdout } = await controlPlane.tryKubectl(['explain', path]);
        return exitCode === 0 ? stdout : undefined;
      });
    const read = async (version: string, name: string) => (await api.send('GET', pathOf(version, name))).body;
    /** As the operator does: PUT of the status with its name as the field manager. */
    const writeStatus = async (version: string, name: string, next: object) => {
      const body = { ...(await read(version, name)), status: next };
      return api.send('PUT', `${pathOf(version, name)}/status?fieldManager=${fieldManager}`, body);
    };
    const managersOf = async (version: string, name: string) =>
      ((await read(version, name))?.metadata?.['managedFields'] ?? []) as readonly ManagedField[];
    const fieldsOfStatus = async (version: string, name: string) =>
      (await managersOf(version, name)).find(({ subresource }) => subresource === 'status')?.fieldsV1['f:status'];

    test('costs one entry in managedFields, whatever the status holds, and kubectl explain still describes every member', async () => {
      await apply('gitops', manifest(groupVersion, 'small'));
      expect((await writeStatus(groupVersion, 'small', status)).status).toBe(200);
      expect(await fieldsOfStatus(groupVersion, 'small')).toEqual({});
      const explained = await explain('rap.status.alerts');
      for (const part of ['want', 'live', 'result', 'incidents'])
        expect(explained).toMatch(new RegExp(`^ {2}${part}\\t`, 'm'));
      expect(await explain('rac.status.dismissals')).toContain('scope');
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
