// The behaviours of API servers that the simulation relies on, on a real one. The simulated one runs the same cases in the
// contract tier; a difference fails one of the two.
import { afterAll, beforeAll } from 'vitest';

import type { KubeObject } from '../../src/operator/kube/resource.ts';
import { describeKubeBehaviours } from '../support/checks/kube-behaviours/describe-cases.ts';
import type { KubeUnderTest } from '../support/checks/kube-behaviours/kube-case.ts';
import { type KubeAccess, openKube } from '../support/rigs/kube-rig.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('a real API server', (controlPlane) => {
  let admin: KubeAccess;
  let stranger: KubeAccess;
  let unprivileged: KubeAccess;

  beforeAll(async () => {
    const namespace = await controlPlane.newNamespace();
    await controlPlane.kubectl(['create', 'serviceaccount', 'unprivileged', '--namespace', namespace]);
    admin = openKube(controlPlane.kubeconfigPath);
    unprivileged = openKube(await controlPlane.serviceAccountKubeconfig(namespace, 'unprivileged'));
    stranger = openKube(controlPlane.kubeconfigPath, (config) => {
      config.users = config.users.map((user) => ({ ...user, token: 'unknown' }));
    });
  });

  afterAll(async () => {
    for (const access of [admin, stranger, unprivileged]) await access?.connection.close();
  });

  /** Not by kubectl, which takes longer than most cases. */
  const newNamespace = async () => {
    const body = JSON.stringify({ metadata: { generateName: 'behaviour-' } });
    const { metadata } = await admin.transport.request<KubeObject>({
      verb: 'create',
      path: '/api/v1/namespaces',
      body,
    });
    return metadata.name;
  };

  const open = (): KubeUnderTest => ({
    transport: admin.transport,
    stranger: stranger.transport,
    unprivileged: unprivileged.transport,
    newNamespace,
    until: (isSo) => until(isSo, 'what a case waits for'),
  });

  describeKubeBehaviours(open);
});
