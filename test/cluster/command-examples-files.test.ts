// Every example in the help of export works as it is printed.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type RunningAlertsService, startAlertsService } from '../../src/service/server.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const value = [{ name: 'Owners', properties: { isActive: true } }];

describeWithControlPlane('the examples of the help', (controlPlane) => {
  let folder: string;
  let service: RunningAlertsService;

  beforeAll(async () => {
    service = await startAlertsService(serviceOptions({ seed: { scopes: { [scope]: { value } } } }));
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-examples-'));
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    const connection = connectionYaml(service.url);
    await mkdir(join(folder, 'policies'));
    await write('policies/owners.yaml', policyYaml('owners', scope, declaredActive('Owners')));
    await write('policies/connection.yaml', connection);
    await write('connection.yaml', connection);
    await write('prod.yaml', `${connection}---\n${secretYaml}`);
    await write('scopes.txt', `${scope}\n`);
  });

  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  test('of export', async () => {
    const examples = await examplesOf('export');
    expect(examples.length).toBeGreaterThan(2);
    const environment = {
      KUBECONFIG: controlPlane.kubeconfigPath,
      ROLEALERTS_ALLOW_HTTP: 'true',
      ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
    };
    for (const example of examples) {
      const { output, ended } = startExample(example, { directory: folder, environment });
      const code = await ended;
      expect({ example, code, stderr: output.stderr }).toEqual({ example, code: 0, stderr: output.stderr });
    }
  });
});
