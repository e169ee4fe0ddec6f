// `rolealerts status --show incidents` as a process, against a real API server, the operator and the service. Every incident names a person.
import { expect, test } from 'vitest';

import { canariesIn, incident } from '../support/checks/canaries.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/incidents-1';
const alert = 'TooManyOwnersAssignedToResource';
const alertDefinition = { properties: { severityLevel: 'High' } };
const properties = { isActive: true, alertDefinition, alertIncidents: [incident('6f1c'), incident('77aa')] };
const scopes = { [scope]: [{ name: alert, properties }] };
const declared = { scope, alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('the incidents of status', (controlPlane) => {
  const setUp = async () => {
    const rig = await startRig(controlPlane, { scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', declared);
    await rig.policyIs('owners', 'IncidentsOpen', 'True/IncidentsFound');
    const run = async (environment: Record<string, string>, ...args: readonly string[]) => {
      const command = ['status', '-n', rig.namespace, '--show', 'incidents', ...args];
      const home = controlPlane.scratchDirectory;
      const variables = { KUBECONFIG: controlPlane.kubeconfigPath, HOME: home, XDG_CONFIG_HOME: home, ...environment };
      const { output, ended } = startProgram(command, { environment: variables });
      return { code: await ended, ...output };
    };
    return { rig, run };
  };
  test('shows what fires from the statuses, and names no person', async () => {
    const { rig, run } = await setUp();
    const policy = `${rig.namespace}/owners`;
    for (const format of ['text', 'wide', 'json']) {
      const { code, stdout, stderr } = await run({}, '-o', format);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(policy);
      expect(canariesIn(stdout)).toEqual([]);
    }
    const [row = ''] = (await run({}, 'owners', '-o', 'wide')).stdout.split('\n').slice(1);
    expect(row).toMatch(new RegExp(`^High +\\d+s +2 +${alert} +${scope} +${policy} +6f1c,77aa$`));
  });
});
