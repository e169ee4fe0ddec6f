// The control plane that all cluster tests stand on does what they count on.
import { expect, it } from 'vitest';

import { describeWithControlPlane } from '../support/control-plane.ts';

describeWithControlPlane('a local control plane', (plane) => {
  const { deletesNamespaces: hasControllers } = plane;

  it.runIf(hasControllers)('lets a namespace go, with everything in it', async () => {
    const namespace = await plane.newNamespace();
    await plane.kubectl(['create', 'configmap', 'thing', '--namespace', namespace]);
    await plane.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await expect
      .poll(async () => (await plane.tryKubectl(['get', 'namespace', namespace])).stderr)
      .toContain('NotFound');
  });

  it.runIf(hasControllers)('collects what belongs to an object that was deleted', async () => {
    const namespace = await plane.newNamespace();
    const inNamespace = ['--namespace', namespace];
    await plane.kubectl(['create', 'configmap', 'owner', ...inNamespace]);
    const uid = await plane.kubectl(['get', 'configmap', 'owner', ...inNamespace, '--output=jsonpath={.metadata.uid}']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', namespace, ownerReferences } };
    await plane.kubectl(['create', '-f', '-'], { input: JSON.stringify(owned) });
    await plane.kubectl(['delete', 'configmap', 'owner', ...inNamespace]);
    await expect
      .poll(async () => (await plane.tryKubectl(['get', 'configmap', 'owned', ...inNamespace])).stderr)
      .toContain('NotFound');
  });

  it.runIf(hasControllers)('refuses what RBAC does not allow, and knows the aggregated role view', async () => {
    const namespace = await plane.newNamespace();
    const list = ['get', 'configmaps', '--namespace', namespace];
    const refused = await plane.tryKubectl(list, { as: 'somebody' });
    expect(refused.stderr).toContain('Forbidden');
    await plane.kubectl([
      'create',
      'rolebinding',
      'v',
      '--clusterrole=view',
      '--user=somebody',
      '--namespace',
      namespace,
    ]);
    await expect.poll(async () => (await plane.tryKubectl(list, { as: 'somebody' })).exitCode).toBe(0);
  });

  it('enforces the restricted Pod Security Standard', async () => {
    const namespace = await plane.newNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const run = ['run', 'p', '--image=none', '--namespace', namespace];
    const { stderr } = await plane.tryKubectl(run);
    expect(stderr).toContain('violates PodSecurity "restricted');
  });

  it('gives service accounts tokens that act as them', async () => {
    const namespace = await plane.newNamespace();
    await plane.kubectl(['create', 'serviceaccount', 'robot', '--namespace', namespace]);
    const kubeconfigPath = await plane.serviceAccountKubeconfig(namespace, 'robot');
    const whoAmI = await plane.kubectl(['auth', 'whoami'], { kubeconfigPath });
    expect(whoAmI).toContain(`system:serviceaccount:${namespace}:robot`);
  });

  it('gives kubeconfigs that act as somebody else', async () => {
    const kubeconfigPath = await plane.impersonatedKubeconfig('auditor', ['readers']);
    const whoAmI = await plane.kubectl(['auth', 'whoami'], { kubeconfigPath });
    expect(whoAmI).toMatch(/auditor[\s\S]*readers/);
  });
});
