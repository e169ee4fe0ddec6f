// Leader election of the program as a process: how it ends when it loses the Lease, and what it leaves behind on a signal.
import { expect, test } from 'vitest';

import { startOperatorProcess } from '../support/rigs/operator-process.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

describeWithControlPlane('the controller with --leader-elect', (controlPlane) => {
  async function startLeader(rig: OperatorRig) {
    const where = ['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', rig.namespace];
    const operator = await startOperatorProcess([
      ...where,
      '--leader-elect=true',
      '--leader-election-namespace',
      rig.namespace,
    ]);
    const said = (message: string) => operator.lines().filter((line) => line.includes(`"msg":"${message}"`));
    await eventually('the Lease', () => said('leader lease acquired')[0]);
    return { operator, said };
  }

  test('it ends with 1 and one clear line when another process holds the Lease', async () => {
    const rig = await startRig(controlPlane, { isStarted: false });
    const { operator, said } = await startLeader(rig);
    const patch = JSON.stringify({ spec: { holderIdentity: 'another', leaseDurationSeconds: 3600 } });
    await controlPlane.kubectl([
      'patch',
      'lease',
      'rolealerts',
      '--namespace',
      rig.namespace,
      '--type=merge',
      '--patch',
      patch,
    ]);
    expect(await operator.ended).toBe(1);
    expect(said('leader lease lost')).toHaveLength(1);
    expect(said('leader lease lost')[0]).toContain('another took it');
  });

  test('it releases the Lease and ends with 0 when it is asked to stop', async () => {
    const rig = await startRig(controlPlane, { isStarted: false });
    const { operator } = await startLeader(rig);
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    const args = ['get', 'lease', 'rolealerts', '--namespace', rig.namespace];
    const { spec } = await controlPlane.kubectlJson<{ spec: object }>(args);
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });
});
