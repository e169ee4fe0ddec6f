// `rolealerts status` against a real API server: its watch, and viewers who may not see everything.
import { beforeAll, expect, test } from 'vitest';

import { policyManifest } from '../support/builders/policy-manifest.ts';
import { runHere, startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('the command status', (controlPlane) => {
  let namespace: string;
  const apply = (name: string, spec: object = {}) => {
    const manifest = policyManifest(name);
    const object = { ...manifest, spec: { ...manifest.spec, ...spec } };
    return controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(object) });
  };

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await apply('owners');
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

  test('shows the rest to a viewer of the namespace, and says what is missing', async () => {
    await apply('tenant', { connectionRef: { kind: 'ClusterRoleAlertConnection', name: 'fleet' } });
    const binding = ['view', '--clusterrole=rolealerts-view', '--user=team@example.net'];
    await controlPlane.kubectl(['create', 'rolebinding', '-n', namespace, ...binding]);
    const KUBECONFIG = await controlPlane.impersonatedKubeconfig('team@example.net');
    const { code, stdout, stderr } = await runHere(['status', '-n', namespace, '-o', 'wide'], {
      environment: { KUBECONFIG },
    });
    expect(code).toBe(0);
    expect(stdout).toContain('crac/fleet');
    expect(stdout).toContain('Connections       0   0 ready');
    expect(stderr).toBe(
      'rolealerts: ClusterRoleAlertConnections are not shown, because the API server does not let you list them. To see them, ask for the ClusterRole rolealerts-platform-admin.\n',
    );
  });

  test('fails with the next step for a viewer who may not read policies', async () => {
    const KUBECONFIG = await controlPlane.impersonatedKubeconfig('viewer@example.net');
    const { code, stderr } = await runHere(['status', '-n', namespace], { environment: { KUBECONFIG } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^rolealerts: The API server at https:\S+ refused the request\. .*rolealerts-view, .*\n/);
    // Whichever of the lists is refused first.
    expect(stderr).toMatch(
      /\n {2}(rolealert(?:policies|connections))\.rolealerts\.dev is forbidden: User "viewer@example\.net" cannot list resource "\1"/,
    );
  });
});
