// Leader election of the program as a process: how it ends when it loses the Lease, who takes over, and what it leaves behind on a signal.
// chaos.nightly.ts has kills.
import { expect, test } from 'vitest';

import { ownerOfPort } from '../support/checks/socket-owner.ts';
import { startOperatorProcess } from '../support/rigs/operator-process.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/leader-1';

describeWithControlPlane('the controller with --leader-elect', (controlPlane) => {
  const start = ({ namespace }: OperatorRig) => {
    const where = ['--kubeconfig', controlPlane.kubeconfigPath, '--watch-namespaces', namespace];
    return startOperatorProcess([...where, '--leader-elect=true', '--leader-election-namespace', namespace]);
  };

  async function startLeader(rig: OperatorRig) {
    const operator = await start(rig);
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

  test('another one takes over once the Lease of a frozen leader has ended, which writes nothing more, and releases it when it stops', async () => {
    const scopes = { [scope]: [{ name: 'A', properties: { isActive: true } }] };
    const rig = await startRig(controlPlane, { scopes, isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('owners', { scope, interval: '5s', alerts: [{ name: 'A', state: 'Active' }] });
    const { operator: leader } = await startLeader(rig);
    const follower = await start(rig);
    const writers: (number | undefined)[] = [];
    rig.proxy.intercept = ({ kind, port }) => {
      if (kind === 'patch') writers.push(ownerOfPort(port, [leader.child.pid ?? 0, follower.child.pid ?? 0]));
      return undefined;
    };
    leader.child.kill('SIGSTOP');
    await rig.turn(scope, 'A', false);
    await rig.flagBecomes(scope, 'A', true);
    await rig.turn(scope, 'A', false);
    leader.child.kill('SIGCONT');
    expect(await leader.ended).toBe(1);
    await rig.flagBecomes(scope, 'A', true);
    expect(writers.length).toBeGreaterThanOrEqual(2);
    expect(new Set(writers)).toEqual(new Set([follower.child.pid]));

    follower.child.kill('SIGTERM');
    expect(await follower.ended).toBe(0);
    const args = ['get', 'lease', 'rolealerts', '--namespace', rig.namespace];
    const { spec } = await controlPlane.kubectlJson<{ spec: object }>(args);
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });
});
