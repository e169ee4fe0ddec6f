// `rolealerts reconcile`, `suspend` and `resume` against a real API server and the operator.
import { expect, test } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/edits-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: true } }] };
const declared = { scope, alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('the commands that edit policies', (controlPlane) => {
  const run = (rig: OperatorRig, command: string, ...args: readonly string[]) =>
    runHere([command, '-n', rig.namespace, ...args], { environment: { KUBECONFIG: controlPlane.kubeconfigPath } });
  const setUp = async (options: Parameters<typeof startRig>[1] = {}) => {
    const rig = await startRig(controlPlane, { scopes, ...options });
    await rig.createConnection();
    await rig.createPolicy('owners', declared);
    return rig;
  };

  test('are refused by the API server for a policy that was created again under the name', async () => {
    const rig = await setUp({ isStarted: false });
    const patch = JSON.stringify({ metadata: { uid: 'of-an-earlier-one' }, spec: { suspend: true } });
    const args = ['patch', 'rap', 'owners', '-n', rig.namespace, '--type', 'merge', '-p', patch];
    await expect(controlPlane.kubectl(args)).rejects.toThrow(/uid/i);
    expect(rig.policy('owners').spec.suspend).not.toBe(true);
  });

  test('request a reconcile, suspend and resume, and wait until the operator has handled each', async () => {
    const rig = await setUp();
    const ready = 'Ready is True (Succeeded)';
    const policy = `policy ${rig.namespace}/owners`;
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const lists = rig.proxy.requests.length;
    expect(await run(rig, 'reconcile', 'owners', '--wait')).toEqual({
      code: 0,
      stdout: `${policy} reconciled: ${ready}\n`,
      stderr: '',
    });
    expect(rig.proxy.requests.length).toBeGreaterThan(lists);
    const until = tomorrow();
    expect(await run(rig, 'suspend', 'rap/owners', '--wait', '--until', until)).toEqual({
      code: 0,
      stdout: `${policy} suspended until ${until}\n`,
      stderr: '',
    });
    await expect.poll(() => rig.policy('owners').spec).toMatchObject({ suspend: true, suspendUntil: until });
    expect((await run(rig, 'reconcile', 'owners')).stderr).toContain(`${policy} is suspended, so a reconcile lists`);
    expect(await run(rig, 'resume', '--all', '--wait')).toEqual({
      code: 0,
      stdout: `${policy} resumed: ${ready}\n`,
      stderr: '',
    });
    await expect.poll(() => rig.policy('owners').spec).toMatchObject({ suspend: false });
    expect(rig.policy('owners').spec).not.toHaveProperty('suspendUntil');
  });

  test('end with 1 for a person who may only read, with the ClusterRole that is missing', async () => {
    const rig = await setUp({ isStarted: false });
    const user = ['--clusterrole=rolealerts-view', '--user=reader@example.net'];
    await controlPlane.kubectl(['create', 'rolebinding', '-n', rig.namespace, 'reader', ...user]);
    const KUBECONFIG = await controlPlane.impersonatedKubeconfig('reader@example.net');
    const { code, stderr } = await runHere(['suspend', '-n', rig.namespace, 'owners'], { environment: { KUBECONFIG } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/rolealerts-edit to change policies.*\n {2}rolealertpolicies.* cannot patch resource/);
  });
});
