// A reflector of policies while the API server, or the resource, is unavailable. With its own control plane.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createCustomResources } from '../../src/operator/kube/custom-resources.ts';
import { isKubeError } from '../../src/operator/kube/kube-error.ts';
import {
  followPolicies,
  openKube,
  policyManifest,
  type FollowedPolicies,
  type KubeAccess,
} from '../support/rigs/kube-rig.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';
import { installOperator } from '../support/servers/test-control-plane.ts';

describeWithOwnControlPlane('recovering', (controlPlane) => {
  let kube: KubeAccess;
  let followed: FollowedPolicies;

  const apply = (name: string) =>
    controlPlane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(policyManifest('default', name)) });

  beforeAll(async () => {
    kube = openKube(controlPlane.kubeconfigPath);
    followed = followPolicies(kube.transport, 'default');
    await until(() => followed.reflector.hasSynced, 'the list is whole');
  });

  afterAll(async () => {
    await followed?.reflector.stop();
    await kube?.connection.close();
  });

  it('continues by itself after the API server was away, and has missed nothing', async () => {
    await apply('before');
    await until(() => followed.eventLog().includes('added before'), 'the policy');
    await controlPlane.stopApiServer();
    await until(() => followed.failures.length >= 2, 'two failures');
    const call = createCustomResources(kube.transport).readPolicy('default', 'before');
    await expect(call).rejects.toSatisfy((error) => isKubeError(error, 'kube-unreachable'));
    expect(followed.reflector.get('default/before')).toBeDefined();

    await controlPlane.startApiServer();
    await apply('after');
    await until(() => followed.eventLog().includes('added after'), 'the later policy');
    expect(followed.eventLog()).toEqual(['added before', 'added after']);
  });

  it('continues by itself after etcd was killed and started again with its data', async () => {
    const known = followed.eventLog().length;
    await controlPlane.restartEtcd();
    await apply('third');
    await until(() => followed.eventLog().includes('added third'), 'the policy after the restart');
    expect(followed.eventLog().slice(known)).toEqual(['added third']);
  });

  it('finds the resource again after it was removed and installed', async () => {
    await controlPlane.kubectl(['delete', 'crd', 'rolealertpolicies.rolealerts.dev']);
    await until(() => followed.failures.includes('kube-not-found'), 'a failure');
    expect(followed.eventLog().slice(3).sort()).toEqual(['deleted after', 'deleted before', 'deleted third']);

    await installOperator(controlPlane);
    await apply('again');
    await until(() => followed.eventLog().includes('added again'), 'the new policy');
    expect([...followed.reflector.list()]).toHaveLength(1);
  });
});
