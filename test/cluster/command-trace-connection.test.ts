// `rolealerts trace` of connections as a process against a real API server.
import { beforeAll, expect, test } from 'vitest';

import { groupVersion } from '../../src/policy/resources.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';

const connection = (kind: string, name: string) => ({
  apiVersion: groupVersion,
  kind,
  metadata: { name },
  spec: {
    endpoint: { baseURL: 'https://alerts.example.net' },
    auth: { tokenSecretRef: { name: 'credentials', key: 'token' } },
  },
});

describeWithOwnControlPlane('the command trace of a connection', (controlPlane) => {
  let namespace: string;
  const run = async (...args: readonly string[]) => {
    const environment = { KUBECONFIG: controlPlane.kubeconfigPath };
    const { output, ended } = startProgram(['trace', '-n', namespace, ...args], { environment });
    return { code: await ended, ...output };
  };

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    for (const [kind, name] of [
      ['RoleAlertConnection', 'prod'],
      ['ClusterRoleAlertConnection', 'fleet'],
    ] as const) {
      const input = JSON.stringify(connection(kind, name));
      await controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input });
    }
  });

  test.each([
    ['rac/prod', () => `connection ${namespace}/prod`],
    ['crac/fleet', () => 'ClusterRoleAlertConnection fleet'],
  ])('prints each condition of %s', async (text, name) => {
    const { code, stdout, stderr } = await run(text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(`^${name()}\n\nReady: Unknown, Pending, since .*\n\nCapacity: Unknown, Pending`, 's'),
    );
  });

  test.each([
    ['connection/other', 1, () => `There is no connection ${namespace}/other: check --namespace and --context.`],
    ['crac/other', 1, () => 'There is no ClusterRoleAlertConnection other: check --context.'],
    ['secret/other', 64, () => 'secret/other has an unknown type. Use NAME or rap/NAME for a policy, '],
  ])('fails for %s with the fix', async (text, expected, message) => {
    const { code, stdout, stderr } = await run(text);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toContain(message());
  });
});
