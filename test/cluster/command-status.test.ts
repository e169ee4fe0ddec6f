// `rolealerts status` as a process against a real API server.
import { beforeAll, describe, expect, test } from 'vitest';

import { groupVersion } from '../../src/policy/resources.ts';
import { startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const manifest = (name: string) => ({
  apiVersion: groupVersion,
  kind: 'RoleAlertPolicy',
  metadata: { name },
  spec: {
    connectionRef: { name: 'prod' },
    scope: `subscriptions/${name}`,
    alerts: [{ name: 'Owners', state: 'Active' }],
  },
});

async function run(kubeconfig: string, ...args: readonly string[]) {
  const { output, ended } = startProgram(['status', ...args], { environment: { KUBECONFIG: kubeconfig } });
  return { code: await ended, ...output };
}

describeWithControlPlane('the command status', (controlPlane) => {
  let namespace: string;
  const apply = (name: string) =>
    controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(manifest(name)) });

  beforeAll(async () => {
    await controlPlane.applyCrds();
    namespace = await controlPlane.newNamespace();
    await apply('owners');
  });

  test('shows a policy that no operator has decided as waiting', async () => {
    const { code, stdout, stderr } = await run(controlPlane.kubeconfigPath, '-n', namespace, '-o', 'wide');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Policies          1   0 ready');
    expect(stdout).toContain(`policy ${namespace}/owners   Pending   Waiting for the operator.`);
    expect(stdout).toMatch(
      new RegExp(`${namespace} +owners +Unknown +Pending +Enforce +0 +subscriptions/owners +prod`),
    );
  });

  test('prints JSON with a version for scripts', async () => {
    const { stdout } = await run(controlPlane.kubeconfigPath, '-n', namespace, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'FleetStatus',
      totals: { policies: 1 },
      findings: [{ kind: 'Waiting', object: `policy ${namespace}/owners` }],
    });
  });

  test('prints again when a policy is added, and ends with 0 when it is interrupted', async () => {
    const watched = startProgram(['status', '-n', namespace, '--watch'], {
      environment: { KUBECONFIG: controlPlane.kubeconfigPath },
    });
    await until(() => watched.output.stdout.includes(`policy ${namespace}/owners `), 'the first report');
    await apply('second');
    await until(
      () => watched.output.stdout.includes(`policy ${namespace}/second `),
      'the report with the second policy',
    );
    watched.child.kill('SIGINT');
    expect(await watched.ended).toBe(0);
  });

  describe('fails with the next step', () => {
    test('for a viewer who may not read policies', async () => {
      const kubeconfig = await controlPlane.impersonatedKubeconfig('viewer@example.net');
      const { code, stderr } = await run(kubeconfig, '-n', namespace);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^rolealerts: The API server at https:\S+ refused the request: .*rolealerts-viewer\.\n$/s);
    });

    test('for a context that does not exist', async () => {
      const { code, stderr } = await run(controlPlane.kubeconfigPath, '--context', 'nope');
      expect(code).toBe(64);
      expect(stderr).toMatch(/^rolealerts: The kubeconfig has no context nope: it has .+\.\n$/);
    });
  });
});
