// `rolealerts export`: every example of its help works as it is printed.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-export-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

describeWithControlPlane('the command export', (controlPlane) => {
  test('runs the examples of its help', async () => {
    // As the help has it.
    const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';
    const service = await startAlertsService(
      serviceOptions({
        seed: { scopes: { [scope]: { value: [{ name: 'Owners', properties: { isActive: true } }] } } },
      }),
    );
    onTestFinished(() => service.stop());
    const folder = await newFolder();
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    const connection = connectionYaml(service.url);
    await mkdir(join(folder, 'policies'));
    await write('policies/owners.yaml', policyYaml('owners', scope, declaredActive('Owners')));
    await write('policies/connection.yaml', connection);
    await write('connection.yaml', connection);
    await write('prod.yaml', `${connection}---\n${secretYaml}`);
    await write('scopes.txt', `${scope}\n`);
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
