// What happens to followed policies when the API server goes away, or the resource does. With a control plane of its own.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createCustomResources } from '../../src/kube/custom-resources.ts';
import { isOperatorError } from '../../src/lib/errors.ts';
import { describeWithControlPlane, startOwnControlPlane } from '../support/control-plane.ts';
import {
  followPolicies,
  openKube,
  policyManifest,
  type FollowedPolicies,
  type KubeAccess,
} from '../support/kube-rig.ts';
import { until } from '../support/until.ts';

describeWithControlPlane('recovering', () => {
  let plane: Awaited<ReturnType<typeof startOwnControlPlane>>;
  let kube: KubeAccess;
  let followed: FollowedPolicies;

  const apply = (name: string) =>
    plane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(policyManifest('default', name)) });

  beforeAll(async () => {
    plane = await startOwnControlPlane();
    await plane.applyCrds();
    kube = openKube(plane.kubeconfigPath);
    followed = followPolicies(kube.transport, 'default');
    await until(() => followed.reflector.hasSynced, 'the list is whole');
  });

  afterAll(async () => {
    await followed?.reflector.stop();
    await kube?.connection.close();
    await plane?.stop();
  });

  it('goes on by itself after the API server was away, and has missed nothing', async () => {
    await apply('before');
    await until(() => followed.told().includes('added before'), 'the policy');
    await plane.stopApiServer();
    await until(() => followed.failures.length >= 2, 'two failures');
    const call = createCustomResources(kube.transport).readPolicy('default', 'before');
    await expect(call).rejects.toSatisfy((error) => isOperatorError(error, 'kube-unreachable'));
    expect(followed.reflector.get('default/before')).toBeDefined();

    await plane.startApiServer();
    await apply('after');
    await until(() => followed.told().includes('added after'), 'the later policy');
    expect(followed.told()).toEqual(['added before', 'added after']);
  });

  it('goes on by itself after etcd was killed and started again with its data', async () => {
    const known = followed.told().length;
    await plane.restartEtcd();
    await apply('third');
    await until(() => followed.told().includes('added third'), 'the policy after the restart');
    expect(followed.told().slice(known)).toEqual(['added third']);
  });

  it('finds the resource again after it was removed and installed', async () => {
    await plane.kubectl(['delete', 'crd', 'rolealertpolicies.rolealerts.dev']);
    await until(() => followed.failures.includes('kube-not-found'), 'a failure');
    expect(followed.told().slice(3).sort()).toEqual(['deleted after', 'deleted before', 'deleted third']);

    await plane.applyCrds();
    await apply('again');
    await until(() => followed.told().includes('added again'), 'the new policy');
    expect([...followed.reflector.list()]).toHaveLength(1);
  });
});
