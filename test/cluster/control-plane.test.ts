// The control plane of the cluster tests behaves as they assume.
import { expect, it } from 'vitest';

import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('a local control plane', (controlPlane) => {
  const { deletesNamespaces: hasControllers } = controlPlane;

  it.runIf(hasControllers)('lets a namespace go, with everything in it', async () => {
    const namespace = await controlPlane.newNamespace();
    await controlPlane.kubectl(['create', 'configmap', 'thing', '--namespace', namespace]);
    await controlPlane.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await expect
      .poll(async () => (await controlPlane.tryKubectl(['get', 'namespace', namespace])).stderr)
      .toContain('NotFound');
  });

  it.runIf(hasControllers)('collects what belongs to an object that was deleted', async () => {
    const namespace = await controlPlane.newNamespace();
    const inNamespace = ['--namespace', namespace];
    await controlPlane.kubectl(['create', 'configmap', 'owner', ...inNamespace]);
    const uid = await controlPlane.kubectl([
      'get',
      'configmap',
      'owner',
      ...inNamespace,
      '--output=jsonpath={.metadata.uid}',
    ]);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', namespace, ownerReferences } };
    await controlPlane.kubectl(['create', '-f', '-'], { input: JSON.stringify(owned) });
    await controlPlane.kubectl(['delete', 'configmap', 'owner', ...inNamespace]);
    await expect
      .poll(async () => (await controlPlane.tryKubectl(['get', 'configmap', 'owned', ...inNamespace])).stderr)
      .toContain('NotFound');
  });

  it.runIf(hasControllers)('refuses what RBAC does not allow, and knows the aggregated role view', async () => {
    const namespace = await controlPlane.newNamespace();
    const list = ['get', 'configmaps', '--namespace', namespace];
    const refused = await controlPlane.tryKubectl(list, { as: 'alice' });
    expect(refused.stderr).toContain('Forbidden');
    await controlPlane.kubectl([
      'create',
      'rolebinding',
      'v',
      '--clusterrole=view',
      '--user=alice',
      '--namespace',
      namespace,
    ]);
    await expect.poll(async () => (await controlPlane.tryKubectl(list, { as: 'alice' })).exitCode).toBe(0);
  });

  it('enforces the restricted Pod Security Standard', async () => {
    const namespace = await controlPlane.newNamespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const run = ['run', 'p', '--image=none', '--namespace', namespace];
    const { stderr } = await controlPlane.tryKubectl(run);
    expect(stderr).toContain('violates PodSecurity "restricted');
  });

  it('gives service accounts tokens that act as them', async () => {
    const namespace = await controlPlane.newNamespace();
    await controlPlane.kubectl(['create', 'serviceaccount', 'robot', '--namespace', namespace]);
    const kubeconfigPath = await controlPlane.serviceAccountKubeconfig(namespace, 'robot');
    const whoAmI = await controlPlane.kubectl(['auth', 'whoami'], { kubeconfigPath });
    expect(whoAmI).toContain(`system:serviceaccount:${namespace}:robot`);
  });

  it('gives kubeconfigs that impersonate another user', async () => {
    const kubeconfigPath = await controlPlane.impersonatedKubeconfig('auditor', ['readers']);
    const whoAmI = await controlPlane.kubectl(['auth', 'whoami'], { kubeconfigPath });
    expect(whoAmI).toMatch(/auditor[\s\S]*readers/);
  });

  it.each([
    ['create', 'clusterrole', 'tried', '--verb=get', '--resource=pods'],
    ['label', 'clusterrole', 'system:node-problem-detector', 'tried=true'],
    ['delete', 'clusterrole', 'system:node-problem-detector'],
  ])('refuses to %s a %s, which every test file would see, and names the alternative', async (...args) => {
    const { exitCode, stderr } = await controlPlane.tryKubectl(args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('describeWithOwnControlPlane'),
    });
  });
});
