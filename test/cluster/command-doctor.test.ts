// `rolealerts doctor` against a real API server: what each role finds.
import { beforeAll, expect, test } from 'vitest';

import { runHere } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

interface Check {
  readonly check: string;
  readonly state: string;
  readonly message: string;
}

const run = (KUBECONFIG: string, ...args: readonly string[]) =>
  runHere(['doctor', ...args], { environment: { KUBECONFIG } });

describeWithControlPlane('the command doctor', (controlPlane) => {
  let namespace: string;

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
  });

  const checksOf = (stdout: string) => {
    const { apiVersion, kind, checks } = JSON.parse(stdout) as { apiVersion: string; kind: string; checks: Check[] };
    expect([apiVersion, kind]).toEqual(['cli.rolealerts.dev/v1', 'DoctorReport']);
    return new Map(checks.map((each) => [each.check, each]));
  };

  test('finds the CRDs of this checkout equal to those of the program, and no operator in an empty namespace', async () => {
    const { code, stdout, stderr } = await run(
      controlPlane.kubeconfigPath,
      '-n',
      namespace,
      '--operator-namespace',
      namespace,
      '-o',
      'json',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '3 passed, 1 failed, 2 not checked.\n' });
    const checks = checksOf(stdout);
    expect(checks.get('crds')).toMatchObject({ state: 'Passed' });
    expect(checks.get('api-server')?.message).toMatch(/^Kubernetes v1\.\d+\.\d+\S* answers; its clock agrees within/);
    expect(checks.get('operator')?.state).toBe('Failed');
  });

  test('finds the permissions of an installed operator complete', async () => {
    const report = () => run(controlPlane.kubeconfigPath, '-n', namespace);
    // The API server learns of new roles from its watches.
    await expect
      .poll(async () => (await report()).stdout)
      .toMatch(
        /^ {2}ok {11}operator-permissions +ServiceAccount rolealerts-system\/rolealerts has all 25 permissions/m,
      );
    const { code, stdout } = await report();
    expect(code).toBe(1);
    // No controller of this control plane starts Pods.
    expect(stdout).toMatch(/^ {2}FAILED {7}operator +rolealerts runs \S+, 0 of 2 replicas ready\.$/m);
    expect(stdout).toMatch(/^ {2}FAILED {7}leader +There is no Lease/m);

    await startInName('rolealerts-system');
    const started = await report();
    expect([started.code, started.stdout]).toEqual([0, expect.not.stringContaining('FAILED')]);
  });

  /** What its Pods and its leader would write. */
  async function startInName(system: string) {
    const status = JSON.stringify({ status: { replicas: 2, readyReplicas: 2 } });
    const patch = ['--subresource', 'status', '--type', 'merge', '--patch', status];
    await controlPlane.kubectl(['patch', 'deployment', 'rolealerts', '-n', system, ...patch]);
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'rolealerts' },
      spec: { holderIdentity: 'a-pod', leaseDurationSeconds: 3600, renewTime },
    };
    await controlPlane.kubectl(['apply', '-n', system, '-f', '-'], { input: JSON.stringify(lease) });
  }

  test('reports what a user without roles may not see as not checked', async () => {
    const kubeconfig = await controlPlane.impersonatedKubeconfig('stranger@example.net');
    const { code, stdout } = await run(kubeconfig, '-n', namespace, '-o', 'json');
    const checks = checksOf(stdout);
    expect(code).toBe(1);
    expect(checks.get('your-permissions')).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('You may not read policies (rolealerts-view)') as string,
    });
    expect(checks.get('crds')?.state).toBe('NotChecked');
    expect(checks.get('operator')?.state).toBe('NotChecked');
  });
});
