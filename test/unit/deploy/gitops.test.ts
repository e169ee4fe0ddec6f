// The files for Argo CD and Flux, read as files. `npm run check:gitops` runs the Lua.
import { globSync } from 'node:fs';

import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { argoFolder } from '../../../.config/argocd.ts';
import { customResources } from '../../../src/commands/manifests/custom-resources.ts';
import { ManifestValidator } from '../../../src/commands/manifests/validate-manifest.ts';
import type { Observed } from '../../support/checks/argo-health.ts';
import { crdSchema, schemaViolations } from '../../support/checks/crd-schema.ts';
import { readText, root } from '../../support/checks/findings.ts';

const filesOf = (pattern: string) => globSync(pattern, { cwd: root }).sort();
const read = (file: string): unknown => parse(readText(file).text);
const validator = new ManifestValidator(customResources);

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
