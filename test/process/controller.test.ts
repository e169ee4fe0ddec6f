// `rolealerts controller` as a process: how it starts, how it ends, and what it says when it cannot start.
import { expect, it } from 'vitest';

import { describeWithControlPlane } from '../support/control-plane.ts';
import { startProgram } from '../support/program.ts';

const quiet = ['--metrics-bind-address', '127.0.0.1:0', '--health-probe-bind-address', '127.0.0.1:0'];

describeWithControlPlane('the controller as a process', (plane) => {
  const start = async () => {
    await plane.applyCrds();
    const namespace = await plane.newNamespace();
    const program = startProgram([
      'controller',
      '--kubeconfig',
      plane.kubeconfigPath,
      '--watch-namespaces',
      namespace,
      ...quiet,
    ]);
    await expect.poll(() => program.output.stderr, { timeout: 30_000 }).toContain('"msg":"caches synced"');
    const [, probesURL = ''] = /"probesURL":"([^"]+)"/.exec(program.output.stderr) ?? [];
    return { ...program, probesURL };
  };

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s', async (signal) => {
    const program = await start();
    expect((await fetch(`${program.probesURL}/readyz`)).status).toBe(200);
    program.child.kill(signal);
    expect(await program.ended).toBe(0);
    expect(program.output.stderr).toContain('"msg":"stopped"');
  });

  it('says in one sentence that there is no cluster', async () => {
    const program = startProgram(['controller', '--kubeconfig', '/does/not/exist', ...quiet]);
    expect(await program.ended).toBe(2);
    expect(program.output.stderr).toMatch(/^rolealerts: The kubeconfig cannot be used: .*\n$/);
  });

  it('says in one sentence which flag is wrong', async () => {
    const program = startProgram(['controller', '--interval', 'often']);
    expect(await program.ended).toBe(2);
    expect(program.output.stderr).toBe('rolealerts: --interval needs a duration from 5s to 24h0m0s, such as 15m.\n');
  });
});
