// `rolealerts plan --live` beside an operator on a real API server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { canaryToken, incident } from '../support/checks/canaries.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { staticToken } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const seeded = (name: string) => ({ name, properties: { isActive: true, alertIncidents: [incident('x')] } });
const inactive = (name: string) => ({
  name,
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', incidents: ['x'] },
});

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

interface PlanReport {
  readonly memory: string;
  readonly namespace: string;
  readonly scopes: readonly Shown[];
}

interface Shown {
  readonly scope: string;
  readonly changes: readonly { readonly alert: string; readonly action: string; readonly cause: string }[];
  readonly notes: readonly { readonly kind: string; readonly reason: string }[];
}

describeWithControlPlane('the command plan', (controlPlane) => {
  /** An operator that has stopped, after one deactivation each for `gone` and `flap`. */
  async function stopped(): Promise<OperatorRig> {
    const rig = await startRig(controlPlane, {
      scopes: {
        'subscriptions/a': [seeded('Alpha')],
        'subscriptions/b': [seeded('Beta'), seeded('Gamma')],
        'subscriptions/c': [seeded('Delta')],
      },
    });
    await rig.createConnection();
    await rig.createPolicy('gone', { scope: 'subscriptions/a', alerts: [inactive('Alpha')] });
    await rig.createPolicy('loud', { scope: 'subscriptions/b', alerts: [{ name: 'Beta', state: 'Active' }] });
    const damping = { maxDeactivations: 1, window: '6h' };
    await rig.createPolicy('flap', { scope: 'subscriptions/c', alerts: [inactive('Delta')], damping });
    for (const name of ['gone', 'loud', 'flap']) await rig.policyIs(name, 'Ready', 'True/Succeeded');
    await rig.stopOperator();
    await rig.deletePolicy('gone');
    await rig.turn('subscriptions/b', 'Beta', false);
    await rig.turn('subscriptions/c', 'Delta', true);
    await rig.createPolicy('later', { scope: 'subscriptions/b', alerts: [inactive('Gamma')] });
    return rig;
  }

  test('plan --live shows the PATCHes that the operator then sends, from the memory in the statuses', async () => {
    const rig = await stopped();
    const folder = await newFolder(canaryToken);
    const args = ['plan', '--live', '-n', rig.namespace, '--token-file', 'token.txt', '-o', 'json'];
    rig.proxy.requests.splice(0);
    const { code, stdout, stderr } = await run(controlPlane.kubeconfigPath, folder, ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(rig.proxy.requests.map(({ kind }) => kind)).toEqual(['list', 'list', 'list']);
    const { scopes, memory, namespace } = JSON.parse(stdout) as PlanReport;
    expect([memory, namespace]).toEqual(['Cluster', rig.namespace]);
    const changes = scopes.flatMap(({ scope, changes: found }) =>
      found.map(({ alert, action, cause }) => `${scope} ${alert} ${action} ${cause}`),
    );
    expect(changes.sort()).toEqual([
      'subscriptions/a Alpha Activate DeclarationGone',
      'subscriptions/b Beta Activate Declared',
      'subscriptions/b Gamma Deactivate DismissalHolds',
    ]);
    expect(scopes.flatMap(({ notes }) => notes.map(({ kind, reason }) => `${kind} ${reason}`))).toEqual([
      'NotReady Flapping',
    ]);

    rig.proxy.requests.splice(0);
    await rig.startOperator();
    await rig.policyIs('later', 'Ready', 'True/Succeeded');
    await rig.policyIs('loud', 'Ready', 'True/Succeeded');
    await rig.policyIs('flap', 'Stalled', 'True/Flapping');
    await rig.flagBecomes('subscriptions/a', 'Alpha', true);
    const patches = rig.proxy.requests.filter(({ kind }) => kind === 'patch');
    expect(patches.map(({ scope, name, body }) => `${scope} ${name} ${body.includes('true')}`).sort()).toEqual([
      'subscriptions/a Alpha true',
      'subscriptions/b Beta true',
      'subscriptions/b Gamma false',
    ]);
  });

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
