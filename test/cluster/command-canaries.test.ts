// People in the responses of the service appear in no output of the command line, and on no page; credentials never.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { canariesIn, canaryToken, incident } from '../support/checks/canaries.ts';
import { startOperatorProcess } from '../support/rigs/operator-process.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { connectionYaml, declaredActive, policyYaml } from '../support/rigs/preview-rig.ts';
import { runHere, startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/canaries-1';
const seeded = (name: string, isActive: boolean) => ({
  name,
  properties: { isActive, alertIncidents: [incident(`of-${name}`)] },
});
const scopes = { [scope]: [seeded('Owners', true), seeded('Guests', true), seeded('Others', true)] };
const dismissal = { reason: 'tracked in SEC-1182', until: tomorrow(), incidents: ['of-Guests'] };
const declared = {
  scope,
  alerts: [
    { name: 'Owners', state: 'Active' },
    { name: 'Guests', state: 'Inactive', dismissal },
  ],
};

/** Each shows the policy, the scope or an alert; `NS` becomes the namespace, and `./` the folder. */
const commands = [
  'status -n NS -o wide',
  'status -n NS -o json',
  'status -n NS -o yaml',
  'trace -n NS owners',
  'trace -n NS owners -o json',
  'status -n NS owners --show incidents,dismissals,timeline,budget -o wide',
  'status -n NS --show incidents,dismissals,timeline,budget -o json',
  'status -n NS -o markdown',
  'status -n NS -o html',
  'plan --live -n NS',
  'plan --live -n NS -o json',
  'plan -f ./files -n NS -o markdown',
  'plan -f ./files -n NS -o sarif',
  'plan -f ./files -n NS -o junit',
  'plan -f ./files -n NS --activate -o json',
  `export --connection ./files/connection.yaml --scope ${scope}`,
  'replay ./plans',
] as const;

describeWithControlPlane('what names people', (controlPlane) => {
  /** People, and credentials of the operator and of the person who runs the command. */
  const foundIn = (text: string) => [
    ...canariesIn(text),
    ...(text.includes(controlPlane.adminToken.reveal()) ? ['the token of the kubeconfig'] : []),
  ];

  /** A folder with a recording of an operator that has dismissed an alert and corrected what a person changed. */
  async function recorded(rig: OperatorRig): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-canaries-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await rig.createConnection();
    await rig.createPolicy('owners', declared);
    const args = ['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', rig.namespace];
    const operator = await startOperatorProcess([...args, '--interval', '5s', '--record', join(folder, 'plans')]);
    await rig.flagBecomes(scope, 'Guests', false);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.turn(scope, 'Owners', false);
    await rig.flagBecomes(scope, 'Owners', true);
    await rig.policyIs('owners', 'IncidentsOpen', 'True/IncidentsFound');
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    return folder;
  }

  const environmentIn = (folder: string) => ({
    KUBECONFIG: controlPlane.kubeconfigPath,
    XDG_CONFIG_HOME: folder,
    ROLEALERTS_TOKEN: canaryToken,
    ROLEALERTS_ALLOW_HTTP: 'true',
    ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
  });

  async function pagesOf(folder: string, namespace: string): Promise<readonly string[]> {
    const { output, child, ended } = startProgram(['ui', '-n', namespace], { environment: environmentIn(folder) });
    await until(() => output.stdout.endsWith('\n'), 'the address');
    const address = output.stdout.trim();
    const pages = await Promise.all(['', '?q=owners'].map(async (query) => (await fetch(address + query)).text()));
    child.kill('SIGTERM');
    await ended;
    return pages;
  }

  test('a canary name never appears', async () => {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    const folder = await recorded(rig);
    await writeFiles(folder, rig.proxy.url);
    const [plans = ''] = await readdir(join(folder, 'plans'));
    expect(canariesIn(await readFile(join(folder, 'plans', plans), 'utf8'))).toEqual([]);

    for (const words of commands) {
      const args = words.split(' ').map((word) => word.replace(/^NS$/, rig.namespace).replace(/^\.\//, `${folder}/`));
      const { code, stdout, stderr } = await runHere(args, { environment: environmentIn(folder) });
      expect({ words, code, found: foundIn(stdout + stderr) }).toEqual({
        words,
        code: expect.toBeOneOf([0, 2]) as number,
        found: [],
      });
      const shown = [rig.namespace, scope, 'no difference'].filter((text) => stdout.includes(text));
      expect(shown, `${words}: ${stdout}`).not.toEqual([]);
    }
    for (const page of await pagesOf(folder, rig.namespace)) {
      expect(page).toContain('</html>');
      expect(foundIn(page)).toEqual([]);
    }
  });
});

async function writeFiles(folder: string, serviceURL: string): Promise<void> {
  await mkdir(join(folder, 'files'));
  await writeFile(join(folder, 'files', 'connection.yaml'), connectionYaml(serviceURL));
  await writeFile(join(folder, 'files', 'policy.yaml'), policyYaml('owners', scope, declaredActive('Guests')));
}
