// `rolealerts ui` as a process against a real API server: the address, the page, its changes and its end.
import { beforeAll, expect, test } from 'vitest';

import { policyManifest } from '../support/builders/policy-manifest.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('the command ui', (controlPlane) => {
  let namespace: string;
  const apply = (name: string) =>
    controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(policyManifest(name)) });

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await apply('owners');
  });

  function start(kubeconfig: string) {
    return startProgram(['ui', '-n', namespace], { environment: { KUBECONFIG: kubeconfig } });
  }

  test('prints an address that shows the policies, also a new one, and ends with 0 when it is interrupted', async () => {
    const program = start(controlPlane.kubeconfigPath);
    await until(() => program.output.stdout.endsWith('\n'), 'the address');
    const address = program.output.stdout.trim();
    const text = async (query: string) => (await fetch(`${address}${query}`)).text();
    expect(await text('')).toContain('>owners</td>');
    expect(await text('')).toContain('Waiting for the operator.');
    await apply('second');
    await until(async () => (await text('?q=second')).includes('>second</td>'), 'the second policy');
    program.child.kill('SIGINT');
    expect(await program.ended).toBe(0);
    expect((await fetch(address).catch(() => undefined))?.status).toBeUndefined();
  });

  test('every example of its help serves a page', async () => {
    const examples = await examplesOf('ui');
    expect(examples.length).toBeGreaterThan(1);
    for (const example of examples) {
      // Another program may have the port of the example.
      const args = example.replace('8765', '0').split(' ').slice(1);
      const program = startProgram(args, { environment: { KUBECONFIG: controlPlane.kubeconfigPath } });
      await until(() => program.output.stdout.endsWith('\n'), 'the address');
      expect((await fetch(program.output.stdout.trim())).status).toBe(200);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
    }
  });
});
