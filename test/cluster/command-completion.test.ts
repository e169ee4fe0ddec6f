// Names of policies complete from the cluster.
import { beforeAll, expect, test } from 'vitest';

import { policyManifest } from '../support/builders/policy-manifest.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('the completion of names', (controlPlane) => {
  let namespace: string;

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    const input = ['owners', 'owners-too', 'readers'].map((name) => JSON.stringify(policyManifest(name))).join('\n');
    await controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input });
  });

  const candidates = async (kubeconfig: string, ...words: readonly string[]) => {
    const { output, ended } = startProgram(['__complete', ...words], { environment: { KUBECONFIG: kubeconfig } });
    return { code: await ended, ...output };
  };

  test('has the policies of the namespace that begin as the word does', async () => {
    const words = ['trace', '-n', namespace, 'own'];
    const found = await candidates(controlPlane.kubeconfigPath, ...words);
    expect(found).toEqual({ code: 0, stdout: 'owners\nowners-too\n', stderr: '' });
  });

  test('prints nothing for a user who may not list them', async () => {
    const kubeconfig = await controlPlane.impersonatedKubeconfig('stranger@example.net');
    expect(await candidates(kubeconfig, 'trace', '-n', namespace, '')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
