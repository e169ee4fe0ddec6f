// `rolealerts plan --live` beside an operator on a real API server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { canaryToken, incident } from '../support/checks/canaries.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { staticToken } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const seeded = (name: string) => ({ name, properties: { isActive: true, alertIncidents: [incident('x')] } });

async function newFolder(token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-plan-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'policies'));
  await writeFile(join(folder, 'token.txt'), token);
  return folder;
}

function run(kubeconfig: string, directory: string, ...args: readonly string[]) {
  const environment = {
    KUBECONFIG: kubeconfig,
    XDG_CONFIG_HOME: directory,
    ROLEALERTS_ALLOW_HTTP: 'true',
    ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
  };
  const words = args.map((word) => word.replace(/^(?:policies|token\.txt)/, (path) => join(directory, path)));
  return runHere(words, { environment });
}

describeWithControlPlane('the command plan', (controlPlane) => {
  test('plan --live with files plans the update', async () => {
    const scopes = { 'subscriptions/b': [seeded('Beta')], 'subscriptions/c': [seeded('Beta')] };
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('loud', { scope: 'subscriptions/b', alerts: [{ name: 'Beta', state: 'Active' }] });
    await rig.createPolicy('other', { scope: 'subscriptions/c', alerts: [{ name: 'Beta', state: 'Active' }] });
    const folder = await newFolder(canaryToken);
    const plan = async (policy: string, ...more: readonly string[]) => {
      await writeFile(join(folder, 'policies', 'a.yaml'), policy);
      const args = ['plan', '--live', '-f', 'policies', '-n', rig.namespace, '--token-file', 'token.txt', ...more];
      return run(controlPlane.kubeconfigPath, folder, ...args);
    };
    const dismissing = '{name: Beta, state: Inactive, dismissal: {reason: tracked in SEC-1182, incidents: [x]}}';
    const updated = await plan(policyYaml('loud', 'subscriptions/b', dismissing));
    expect(updated.stdout).toContain('! Beta of subscriptions/b');
    expect(updated.code).toBe(2);
    expect(updated.stdout).toContain('Not planned: 1 scope that the files do not change.');
    expect(rig.proxy.requests.map(({ scope }) => scope)).toEqual(['subscriptions/b']);
    const stored = policyYaml('loud', 'subscriptions/b', declaredActive('Beta'));
    expect((await plan(stored)).stdout).toContain('Not planned: 2 scopes that the files do not change.');
    expect(rig.proxy.count('list')).toBe(1);
    expect([(await plan(stored, '--all')).code, rig.proxy.count('list')]).toEqual([0, 3]);
  });

  test('runs the examples of its help', async () => {
    const rig = await startRig(controlPlane, { scopes: { 'subscriptions/b': [seeded('Beta')] }, isStarted: false });
    const folder = await newFolder(canaryToken);
    const secret = secretYaml.replace(staticToken, canaryToken);
    const policy = policyYaml('loud', 'subscriptions/b', declaredActive('Beta'));
    const files = [connectionYaml(rig.proxy.url), secret, policy].join('---\n');
    await writeFile(join(folder, 'policies', 'a.yaml'), files);
    for (const words of await examplesOf('plan')) {
      const args = words.replace('payments', rig.namespace).split(' ').slice(1);
      const { code, stderr } = await run(controlPlane.kubeconfigPath, folder, ...args);
      expect({ words, code, stderr: stderr.replace(/^rolealerts: not checked .*\n/, '') }).toEqual({
        words,
        code: 0,
        stderr: '',
      });
    }
  });
});
