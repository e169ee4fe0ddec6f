// `rolealerts reconcile`, `suspend` and `resume` as processes, against a real API server and the operator.
import { describe, expect, test } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/edits-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: true } }] };
const declared = { scope, alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('the commands that edit policies', (controlPlane) => {
  const run = async (rig: OperatorRig, command: string, ...args: readonly string[]) => {
    const environment = { KUBECONFIG: controlPlane.kubeconfigPath };
    const { output, ended } = startProgram([command, '-n', rig.namespace, ...args], { environment });
    return { code: await ended, ...output };
  };
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

  describe('end with 1', () => {
    test('for a stalled policy, with its reason and the fix', async () => {
      const rig = await setUp();
      await rig.createPolicy('lost', { ...declared, connectionRef: { name: 'missing' } });
      const { code, stdout, stderr } = await run(rig, 'reconcile', '--all', '--wait');
      expect({ code, stdout }).toEqual({
        code: 1,
        stdout: `policy ${rig.namespace}/owners reconciled: Ready is True (Succeeded)\n`,
      });
      expect(stderr).toMatch(
        /lost is stalled \(ConnectionNotFound\): .* does not exist, or no operator serves it\. Create it/,
      );
    });

    test('when no operator handles the change in time, and say what to check', async () => {
      const rig = await setUp({ isStarted: false });
      const { code, stderr } = await run(rig, 'reconcile', 'owners', '--wait', '--timeout', '1s');
      expect(code).toBe(1);
      expect(stderr).toBe(
        `rolealerts: policy ${rig.namespace}/owners was not handled within 1s. Its status shows no cause. Check that an operator runs and watches namespace ${rig.namespace}; while its connection has no requests left, a reconcile waits. To wait longer, use --timeout.\n`,
      );
    });

    test('for a person who may only read, with the ClusterRole that is missing', async () => {
      const rig = await setUp({ isStarted: false });
      const user = ['--clusterrole=rolealerts-view', '--user=reader@example.net'];
      await controlPlane.kubectl(['create', 'rolebinding', '-n', rig.namespace, 'reader', ...user]);
      const KUBECONFIG = await controlPlane.impersonatedKubeconfig('reader@example.net');
      const { output, ended } = startProgram(['suspend', '-n', rig.namespace, 'owners'], {
        environment: { KUBECONFIG },
      });
      expect(await ended).toBe(1);
      expect(output.stderr).toMatch(
        /rolealerts-edit to change policies.*\n {2}rolealertpolicies.* cannot patch resource/,
      );
    });
  });

  test.each([
    [['suspend', 'owners', '--until', '2020-01-01T00:00:00Z'], '--until 2020-01-01T00:00:00Z is past'],
    [['suspend', 'owners', '--until', '2036-01-01T00:00:00Z', '--for', '8h'], 'Use either --until or --for.'],
    [['resume'], 'Name at least one policy, or use --all or --selector.'],
    [['reconcile', 'rac/prod'], 'rac/prod is not a policy'],
  ])('refuse wrong usage with 64: %j', async (args, message) => {
    const environment = { KUBECONFIG: controlPlane.kubeconfigPath };
    const { output, ended } = startProgram(args, { environment });
    expect(await ended).toBe(64);
    expect(output).toEqual({ stdout: '', stderr: expect.stringContaining(message) });
  });
});
