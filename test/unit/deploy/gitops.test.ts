// The files for Argo CD and Flux, read as files. `npm run check:gitops` runs the Lua.
import { globSync } from 'node:fs';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { argoFolder, argoKinds } from '../../../.config/argocd.ts';
import { customResources } from '../../../src/commands/manifests/custom-resources.ts';
import { ManifestValidator } from '../../../src/commands/manifests/validate-manifest.ts';
import type { Observed } from '../../support/checks/argo-health.ts';
import { crdSchema, schemaViolations } from '../../support/checks/crd-schema.ts';
import { readText, root } from '../../support/checks/findings.ts';

const filesOf = (pattern: string) => globSync(pattern, { cwd: root }).sort();
const read = (file: string): unknown => parse(readText(file).text);
const validator = new ManifestValidator(customResources);

test.each(argoKinds)('%s has a health check, and its tests name every file of test data', (kind) => {
  const folder = `${argoFolder}/${kind}`;
  expect(filesOf(`${folder}/health.lua`)).toHaveLength(1);
  const { tests } = read(`${folder}/health_test.yaml`) as { tests: { inputPath: string }[] };
  expect(tests.map(({ inputPath }) => `${folder}/${inputPath}`).sort()).toEqual(filesOf(`${folder}/testdata/*`));
});

test('the tests of the actions name every action and every file of test data', () => {
  const folder = `${argoFolder}/RoleAlertPolicy/actions`;
  const { discoveryTests, actionTests } = read(`${folder}/action_test.yaml`) as {
    discoveryTests: { inputPath: string }[];
    actionTests: { action: string; inputPath: string; expectedOutputPath: string }[];
  };
  const named = [...discoveryTests, ...actionTests].flatMap((one) =>
    Object.entries(one).flatMap(([key, value]) => (key.endsWith('Path') ? `${folder}/${value}` : [])),
  );
  expect([...new Set(named)].sort()).toEqual(filesOf(`${folder}/testdata/*`));
  const scripts = actionTests.map(({ action }) => `${folder}/${action}/action.lua`);
  expect(scripts.sort()).toEqual(filesOf(`${folder}/*/action.lua`));
});

test.each(filesOf(`${argoFolder}/**/testdata/*.yaml`))('%s fits the schema', async (file) => {
  const object = read(file) as Observed;
  expect(validator.validate(object)?.problems).toEqual([]);
  const plural = customResources.find(({ kind }) => kind === object.kind)?.plural ?? '';
  expect(schemaViolations((await crdSchema(plural)).status, object.status)).toEqual([]);
});

test('Argo CD and Flux apply the custom resources before the operator', () => {
  const files = ['deploy/argocd/application.yaml', 'deploy/flux/rolealerts.yaml'];
  const paths = files.flatMap((file) => readText(file).text.match(/(?<=path: )\S+/g) ?? []);
  expect(paths.map((path) => path.replace('./', '')).filter((path) => path !== 'cluster')).toEqual([
    'crds',
    'deploy/base',
    'crds',
    'deploy/base',
  ]);
});
