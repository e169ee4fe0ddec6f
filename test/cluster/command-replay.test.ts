// `controller --record` as a process, and `replay`: what an operator planned against a real API server and the alerts service.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { canariesIn } from '../support/checks/canaries.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { startOperatorProcess } from '../support/rigs/operator-process.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/replay-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: false } }] };
const active = { scope, alerts: [{ name: alert, state: 'Active' }] };

const replay = (...args: readonly string[]) => runHere(['replay', ...args]);

describeWithControlPlane('controller --record and replay', (controlPlane) => {
  /** Runs an operator until it has corrected an alert, and ends it. */
  async function correctOnce(directory: string) {
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    const args = ['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', rig.namespace];
    const operator = await startOperatorProcess([...args, '--record', directory]);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    return rig.namespace;
  }

  test('what was recorded is decided again, and a difference is shown', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-record-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const directory = join(folder, 'plans');
    const namespace = await correctOnce(directory);
    const same = await replay(directory);
    expect([same.code, same.stderr]).toEqual([0, '']);
    expect(same.stdout).toMatch(/^Replayed [2-9] plans of version .*: no difference[.]\n$/);

    for (const example of await examplesOf('replay')) {
      expect({ example, code: await startExample(example, { directory: folder }).ended }).toEqual({ example, code: 0 });
    }

    const [name = ''] = await readdir(directory);
    const text = await readFile(join(directory, name), 'utf8');
    expect(canariesIn(text)).toEqual([]);
    await writeFile(join(directory, name), text.replace(/"activate: [^"]*"/, '"activate: Unlisted, User"'));
    const { code, stdout } = await replay(directory, '-o', 'json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'ReplayReport',
      totals: { differingPlans: 1, newDeactivations: 0 },
      differences: [
        { kind: 'Action', policy: `${namespace}/owners`, scope, alert, before: 'activate: Unlisted, User' },
      ],
    });
    await writeFile(join(directory, name), text.replace('"version":1', '"version":0'));
    expect(await replay(directory)).toMatchObject({ code: 1, stdout: expect.stringContaining('it has version 0') });
  });
});
