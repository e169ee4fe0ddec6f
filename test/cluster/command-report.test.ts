// `rolealerts report` as a process, of policies that a real operator decided.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { canariesIn, incident } from '../support/checks/canaries.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/report-1';
const owners = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: owners, properties: { isActive: false, alertIncidents: [incident('6f1c')] } }] };

describeWithControlPlane('the command report', (controlPlane) => {
  async function report(kubeconfig: string, ...args: readonly string[]) {
    const { output, ended } = startProgram(['report', ...args], { environment: { KUBECONFIG: kubeconfig } });
    return { code: await ended, ...output };
  }

  test('writes what the operator did and reported, and no name of a person', async () => {
    const rig = await startRig(controlPlane, { scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', { scope, alerts: [{ name: owners, state: 'Active' }] });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const place = ['-n', rig.namespace, '--html'];
    const file = join(controlPlane.scratchDirectory, 'fleet.html');
    const page = await eventually('the event is stored', async () => {
      expect(await report(controlPlane.kubeconfigPath, ...place, file)).toEqual({ code: 0, stdout: '', stderr: '' });
      const text = await readFile(file, 'utf8');
      return /<span class="quiet">Event<\/span> <b>\w+<\/b>/.test(text) ? text : undefined;
    });
    expect(page).toContain(`<h1>Role alerts of namespace ${rig.namespace}</h1>`);
    expect(page).toContain(`<tr><th scope="row">${scope}</th><td class="number">1</td>`);
    expect(page).toContain(`<b>Drift</b> The operator activated ${owners}.`);
    expect(canariesIn(page)).toEqual([]);
    expect((await report(controlPlane.kubeconfigPath, ...place, '-')).stdout).toMatch(
      /^<!doctype html>\n[^]*<\/html>\n$/,
    );
  });

  test('every example of its help writes a page', async () => {
    const examples = await examplesOf('report');
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) {
      const environment = { KUBECONFIG: controlPlane.kubeconfigPath };
      const { output, ended } = startExample(example, { directory: controlPlane.scratchDirectory, environment });
      expect({ example, code: await ended, ...output }).toEqual({ example, code: 0, stdout: '', stderr: '' });
      const [, file = ''] = /(\w+\.html)$/.exec(example) ?? [];
      expect(await readFile(join(controlPlane.scratchDirectory, file), 'utf8')).toMatch(/^<!doctype html>/);
    }
  });

  test('without a file, and with one that cannot be written, it says what to do', async () => {
    const namespace = await controlPlane.newNamespace();
    const { code, stderr } = await report(controlPlane.kubeconfigPath, '-n', namespace);
    expect([code, stderr]).toEqual([64, 'rolealerts: --html is required: give a file, or - for standard output.\n']);
    const refused = await report(controlPlane.kubeconfigPath, '-n', namespace, '--html', '/nowhere/fleet.html');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^rolealerts: Cannot write \/nowhere\/fleet\.html: ENOENT.* Name another file with --html\.\n$/,
      ),
    ]);
  });
});
