// The timeline and the budget of `rolealerts status` against a real API server.
import { beforeAll, expect, test } from 'vitest';

import { groupVersion } from '../../src/policy/resources.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const until = new Date(Date.now() + 3 * 86_400_000).toISOString();

const objects = [
  {
    apiVersion: groupVersion,
    kind: 'RoleAlertConnection',
    metadata: { name: 'prod' },
    spec: {
      endpoint: { baseURL: 'https://service.example' },
      auth: { tokenSecretRef: { name: 'alerts', key: 'token' } },
      deactivation: 'Allow',
    },
  },
  {
    apiVersion: groupVersion,
    kind: 'RoleAlertPolicy',
    metadata: { name: 'owners' },
    spec: {
      connectionRef: { name: 'prod' },
      scope: 'subscriptions/a',
      alerts: [{ name: 'Owners', state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', until } }],
    },
  },
];

describeWithControlPlane('the timeline and the budget of status', (controlPlane) => {
  let namespace: string;
  const run = async (...args: readonly string[]) => {
    const environment = { KUBECONFIG: controlPlane.kubeconfigPath };
    const { output, ended } = startProgram(['status', '-n', namespace, '--show', ...args], { environment });
    return { code: await ended, ...output };
  };

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    for (const object of objects) {
      await controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(object) });
    }
  });

  test('show when a dismissal ends', async () => {
    const { code, stdout, stderr } = await run('timeline', '--days', '7', '-o', 'wide');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(`dismissal ends +policy ${namespace}/owners +the operator activates Owners +subscriptions/a`),
    );
  });

  test('show what a connection needs, with exit code 2 beyond its limit', async () => {
    const { code, stdout, stderr } = await run('budget');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ now +1 +15m +The policies need 4 requests an hour/);
    expect((await run('budget', '--scopes', '5000', '--interval', '5m', '-o', 'json')).code).toBe(2);
  });
});
