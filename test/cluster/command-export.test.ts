// `rolealerts export`: what it writes for the four kinds of alerts and for many scopes is applied to a real API server, and the operator
// finds every policy in sync. Every example of its help works as it is printed.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

import { startAlertsService } from '../../src/service/server.ts';
import { fleetSeed } from '../support/builders/fleet.ts';
import { canaryToken } from '../support/checks/canaries.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const shape = { scopes: 20, policiesPerScope: 1, alertsPerPolicy: 3, driftedPerPolicy: 1, incidentsPerAlert: 2 };

interface Seed {
  readonly scopes: Readonly<Record<string, { readonly value: readonly object[] }>>;
}

async function seededScopes(): Promise<Readonly<Record<string, readonly object[]>>> {
  const text = await readFile(new URL('../fixtures/service/four-kinds.yaml', import.meta.url), 'utf8');
  const all = { ...fleetSeed(shape).scopes, ...(parse(text) as Seed).scopes };
  return Object.fromEntries(Object.entries(all).map(([scope, { value }]) => [scope, value]));
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-export-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** As a person does it. */
async function fillInReasons(folder: string): Promise<number> {
  let filled = 0;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const text = await readFile(path, 'utf8');
    filled += text.match(/reason: TODO/g)?.length ?? 0;
    await writeFile(path, text.replaceAll('reason: TODO', 'reason: tracked in SEC-1182'));
  }
  return filled;
}

interface Policies {
  readonly items: readonly {
    readonly metadata: { readonly generation: number };
    readonly status: {
      readonly conditions: readonly {
        readonly type: string;
        readonly status: string;
        readonly observedGeneration?: number;
      }[];
    };
  }[];
}

async function readyPolicies(rig: OperatorRig): Promise<number> {
  const { body } = await rig.send('GET', 'rolealertpolicies');
  return (body as unknown as Policies).items.filter(({ metadata, status }) =>
    status.conditions.some(
      ({ type, status: value, observedGeneration }) =>
        type === 'Ready' && value === 'True' && observedGeneration === metadata.generation,
    ),
  ).length;
}

describeWithControlPlane('the command export', (controlPlane) => {
  test('writes policies for the four kinds and 20 scopes that are Ready at once, without a PATCH', async () => {
    const scopes = await seededScopes();
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    const folder = await newFolder();
    const file = (name: string) => join(folder, name);
    const prod = await controlPlane.kubectl(['get', '-n', rig.namespace, 'rac', 'prod', '-o', 'yaml']);
    await writeFile(file('prod.yaml'), prod);
    await writeFile(file('scopes.txt'), Object.keys(scopes).join('\n'));
    const where = ['--connection', file('prod.yaml'), '--scopes-from', file('scopes.txt'), '--output-dir', file('out')];
    const flags = ['--mode', 'Enforce', '--allow-http', '--allow-private-endpoints'];
    const environment = { ROLEALERTS_TOKEN: canaryToken };
    const { code, stdout, stderr } = await runHere(['export', ...where, ...flags], { environment });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^rolealerts: 21 policies of 22 scopes exported\.$/m);
    expect(rig.proxy.count('list')).toBe(22);

    expect(await fillInReasons(file('out'))).toBe(22);
    await controlPlane.kubectl(['apply', '-n', rig.namespace, '-f', file('out')]);
    await rig.startOperator();
    await eventually('every policy is Ready', async () => ((await readyPolicies(rig)) === 21 ? true : undefined));
    expect(rig.proxy.count('patch')).toBe(0);
  });

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
