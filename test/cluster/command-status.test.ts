// `rolealerts status` as a process against a real API server.
import { beforeAll, describe, expect, test } from 'vitest';

import { groupVersion } from '../../src/policy/resources.ts';
import { startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';

const manifest = (name: string, connectionRef: object = { name: 'prod' }) => ({
  apiVersion: groupVersion,
  kind: 'RoleAlertPolicy',
  metadata: { name },
  spec: {
    connectionRef,
    scope: `subscriptions/${name}`,
    alerts: [{ name: 'Owners', state: 'Active' }],
  },
});

async function run(kubeconfig: string, ...args: readonly string[]) {
  const { output, ended } = startProgram(['status', ...args], { environment: { KUBECONFIG: kubeconfig } });
  return { code: await ended, ...output };
}

const clusterConnectionManifest = {
  apiVersion: groupVersion,
  kind: 'ClusterRoleAlertConnection',
  metadata: { name: 'fleet' },
  spec: {
    endpoint: { baseURL: 'https://alerts.example.net' },
    auth: { tokenSecretRef: { name: 'credentials', key: 'token' } },
  },
};

describeWithOwnControlPlane('the command status', (controlPlane) => {
  let namespace: string;
  const apply = (name: string, where = namespace, object: object = manifest(name)) =>
    controlPlane.kubectl(['apply', '-n', where, '-f', '-'], { input: JSON.stringify(object) });

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await apply('owners');
  });

  test('shows a policy that no operator has decided as waiting', async () => {
    const { code, stdout, stderr } = await run(controlPlane.kubeconfigPath, '-n', namespace, '-o', 'wide');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Policies          1   0 ready');
    expect(stdout).toContain(`waiting         policy ${namespace}/owners   Pending   Waiting for the operator.`);
    expect(stdout).toMatch(
      new RegExp(`${namespace} +owners +Unknown +Pending +Enforce +0 +subscriptions/owners +rac/prod`),
    );
  });

  test('shows the policies that are named, and says which is missing', async () => {
    await apply('other');
    const named = ['-n', namespace, 'rap/owners', '--show', 'policies', '-o', 'json'];
    const { stdout } = await run(controlPlane.kubeconfigPath, ...named);
    expect(JSON.parse(stdout)).toMatchObject({ policies: [{ name: 'owners' }] });
    const { code, stderr } = await run(controlPlane.kubeconfigPath, '-n', namespace, 'absent');
    const sentence = `rolealerts: There is no policy ${namespace}/absent: check --namespace and --context.\n`;
    expect([code, stderr]).toEqual([1, sentence]);
    await controlPlane.kubectl(['delete', 'rap', '-n', namespace, 'other']);
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

  describe('of a team on a connection of the cluster', () => {
    let team: string;

    beforeAll(async () => {
      team = await controlPlane.newNamespace();
      await apply('fleet', team, clusterConnectionManifest);
      const connectionRef = { kind: 'ClusterRoleAlertConnection', name: 'fleet' };
      await apply('tenant', team, manifest('tenant', connectionRef));
      await controlPlane.kubectl([
        'create',
        'rolebinding',
        '-n',
        team,
        'view',
        '--clusterrole=rolealerts-view',
        '--user=team@example.net',
      ]);
    });

    test('shows the connection to a platform admin, with its kind', async () => {
      const { stdout, stderr } = await run(controlPlane.kubeconfigPath, '-n', team, '-o', 'wide');
      expect(stderr).toBe('');
      expect(stdout).toMatch(/subscriptions\/tenant +crac\/fleet/);
      expect(stdout).toMatch(/^ +crac\/fleet +Unknown +Pending/m);
    });

    test.each([[[]], [['--watch']]])(
      'shows the rest to a viewer of the namespace, and says what is missing: %j',
      async (flags) => {
        const KUBECONFIG = await controlPlane.impersonatedKubeconfig('team@example.net');
        const program = startProgram(['status', '-n', team, '-o', 'wide', ...flags], { environment: { KUBECONFIG } });
        await until(() => program.output.stdout.includes('crac/fleet'), 'the first report');
        program.child.kill('SIGINT');
        await program.ended;
        expect(program.output.stdout).toContain('Connections       0   0 ready');
        expect(program.output.stderr).toBe(
          'rolealerts: ClusterRoleAlertConnections are not shown, because the API server does not let you list them. To see them, ask for the ClusterRole rolealerts-platform-admin.\n',
        );
      },
    );
  });

  describe('fails with the next step', () => {
    test('for a viewer who may not read policies', async () => {
      const kubeconfig = await controlPlane.impersonatedKubeconfig('viewer@example.net');
      const { code, stderr } = await run(kubeconfig, '-n', namespace);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^rolealerts: The API server at https:\S+ refused the request\. .*rolealerts-view, .*\n/);
      // Whichever of the lists is refused first.
      expect(stderr).toMatch(
        /\n {2}(rolealert(?:policies|connections))\.rolealerts\.dev is forbidden: User "viewer@example\.net" cannot list resource "\1"/,
      );
    });

    test('for a context that does not exist', async () => {
      const { code, stderr } = await run(controlPlane.kubeconfigPath, '--context', 'nope');
      expect(code).toBe(64);
      expect(stderr).toMatch(/^rolealerts: The kubeconfig has no context nope: it has .+\.\n$/);
    });
  });
});
