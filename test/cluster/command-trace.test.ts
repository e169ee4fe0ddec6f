// `rolealerts trace` against a real API server and the operator.
import { expect, test } from 'vitest';

import { startRig } from '../support/rigs/operator-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/trace-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: false } }] };
const declared = { scope, alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('the command trace', (controlPlane) => {
  const run = (KUBECONFIG: string, ...args: readonly string[]) =>
    runHere(['trace', ...args], { environment: { KUBECONFIG } });

  test('names what blocks a policy, and its command mends it', async () => {
    const rig = await startRig(controlPlane, { scopes });
    const { namespace } = rig;
    await rig.createSecret('mine', { token: 'not-used' }, {});
    await rig.createConnection({ spec: { auth: { tokenSecretRef: { name: 'mine', key: 'token' } } } });
    await rig.createPolicy('owners', declared);
    await rig.policyIs('owners', 'Ready', 'False/ConnectionNotReady');
    await rig.connectionIs('prod', 'False/SecretNotAllowed');
    const blocked = await run(controlPlane.kubeconfigPath, '-n', namespace, 'owners');
    expect({ code: blocked.code, stderr: blocked.stderr }).toEqual({ code: 0, stderr: '' });
    expect(blocked.stdout).toContain(`✗ policy ${namespace}/owners: Ready is False (ConnectionNotReady)`);
    expect(blocked.stdout).toContain(`│  └─ ✗ Secret ${namespace}/mine, key token: lacks the label`);
    expect(blocked.stdout).toMatch(
      /Blocked by SecretNotAllowed: .*\n\n {2}kubectl label --overwrite secret mine .*\n$/,
    );

    const command = blocked.stdout.trimEnd().split('\n').at(-1)?.trim().split(' ').slice(1) ?? [];
    await controlPlane.kubectl(command);
    await rig.editConnection('prod', { auth: { tokenSecretRef: { name: 'credentials' } } });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.connectionIs('prod', 'True/Connected');
    const { stdout } = await run(controlPlane.kubeconfigPath, '-n', namespace, '-o', 'json', 'rap/owners');
    const { apiVersion, kind, root, blocker } = JSON.parse(stdout) as Record<string, { children: { kind: string }[] }>;
    expect({ apiVersion, kind, blocker }).toEqual({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'PolicyTrace',
      blocker: null,
    });
    expect(root?.children).toMatchObject([
      { kind: 'Connection', state: 'Ok', children: [{ kind: 'Credential', state: 'Ok' }] },
      { kind: 'Grant', state: 'Ok' },
      { kind: 'Scope', state: 'Ok', children: [{ name: alert, state: 'Ok' }] },
      { kind: 'Writes', children: [{ text: expect.stringContaining(`${alert} Activated`) }] },
    ]);
  });
});
