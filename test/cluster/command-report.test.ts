// `rolealerts status -o html` as a process, of policies that a real operator decided.
import { expect, test } from 'vitest';

import { canariesIn, incident } from '../support/checks/canaries.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/report-1';
const owners = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: owners, properties: { isActive: false, alertIncidents: [incident('6f1c')] } }] };

describeWithControlPlane('the page of status', (controlPlane) => {
  test('shows what the operator found, and no name of a person', async () => {
    const rig = await startRig(controlPlane, { scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', { scope, alerts: [{ name: owners, state: 'Active' }] });
    await rig.policyIs('owners', 'IncidentsOpen', 'True/IncidentsFound');
    const args = ['status', '-n', rig.namespace, '-o', 'html'];
    const { output, ended } = startProgram(args, { environment: { KUBECONFIG: controlPlane.kubeconfigPath } });
    expect({ code: await ended, stderr: output.stderr }).toEqual({ code: 0, stderr: '' });
    expect(output.stdout).toMatch(/^<!doctype html>\n[^]*<\/html>\n$/);
    expect(output.stdout).toContain(`<h1>Role alerts of namespace ${rig.namespace}</h1>`);
    expect(output.stdout).toContain(`data-column="scope">${scope}</td>`);
    expect(output.stdout).toContain(`data-column="policies">${rig.namespace}/owners</td>`);
    expect(canariesIn(output.stdout)).toEqual([]);
  });
});
