// Leader election of the program as a process: how it ends when it loses the Lease, and what it leaves behind when it is asked to.
import { beforeAll, expect, test } from 'vitest';

import { describeWithControlPlane, eventually } from '../support/control-plane.ts';
import { startOperatorProcess } from '../support/operator-process.ts';
import { type OperatorRig, startRig } from '../support/operator-rig.ts';

describeWithControlPlane('the controller with --leader-elect', (plane) => {
  beforeAll(() => plane.applyCrds());

  async function startLeader(rig: OperatorRig) {
    const where = ['--kubeconfig', plane.kubeconfigPath, '--watch-namespaces', rig.namespace];
    const operator = await startOperatorProcess([
      ...where,
      '--leader-elect',
      '--leader-election-namespace',
      rig.namespace,
    ]);
    const said = (message: string) => operator.lines().filter((line) => line.includes(`"msg":"${message}"`));
    await eventually('the Lease', () => said('leader lease acquired')[0]);
    return { operator, said };
  }

  test('it ends with 1 and one clear line when somebody else has the Lease', async () => {
    const rig = await startRig(plane, { isStarted: false });
    const { operator, said } = await startLeader(rig);
    const patch = JSON.stringify({ spec: { holderIdentity: 'somebody', leaseDurationSeconds: 3600 } });
    await plane.kubectl([
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
    expect(said('leader lease lost')[0]).toContain('somebody took it');
  });

  test('it releases the Lease and ends with 0 when it is asked to stop', async () => {
    const rig = await startRig(plane, { isStarted: false });
    const { operator } = await startLeader(rig);
    operator.child.kill('SIGTERM');
    expect(await operator.ended).toBe(0);
    const args = ['get', 'lease', 'rolealerts', '--namespace', rig.namespace];
    const { spec } = await plane.kubectlJson<{ spec: object }>(args);
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });
});
