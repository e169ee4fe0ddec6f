// The behaviours of API servers that the simulation is built on, seen of a real one. The simulated one shows the same in the
// contract tier; a difference fails one of the two.
import { afterAll, beforeAll } from 'vitest';

import type { KubeObject } from '../../src/kube/resource.ts';
import { describeWithControlPlane } from '../support/control-plane.ts';
import { describeKubeBehaviours } from '../support/kube-behaviours/describe-cases.ts';
import type { KubeUnderTest } from '../support/kube-behaviours/kube-case.ts';
import { type KubeAccess, openKube } from '../support/kube-rig.ts';
import { until } from '../support/until.ts';

describeWithControlPlane('a real API server', (plane) => {
  let admin: KubeAccess;
  let stranger: KubeAccess;
  let nobody: KubeAccess;

  beforeAll(async () => {
    await plane.applyCrds();
    const namespace = await plane.newNamespace();
    await plane.kubectl(['create', 'serviceaccount', 'nobody', '--namespace', namespace]);
    admin = openKube(plane.kubeconfigPath);
    nobody = openKube(await plane.serviceAccountKubeconfig(namespace, 'nobody'));
    stranger = openKube(plane.kubeconfigPath, (config) => {
      config.users = config.users.map((user) => ({ ...user, token: 'nobody-knows-it' }));
    });
  });

  afterAll(async () => {
    for (const access of [admin, stranger, nobody]) await access?.connection.close();
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
    nobody: nobody.transport,
    newNamespace,
    until: (isSo) => until(isSo, 'what a case waits for'),
  });

  describeKubeBehaviours(open);
});
