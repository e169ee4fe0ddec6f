// Tenants who reach for a credential that was not meant for them.
import { resourceNamespace } from '../../kube/connection-keys.ts';
import { credentialName } from '../generators.ts';
import { putBack, steal, thefts } from '../thieves.ts';
import { active, minuteMs, type Scene, secondMs, type Story } from './scene.ts';

const [alice, mallory] = ['alice', 'mallory'];
const hers = 'subscriptions/a';
const alerts = ['Alpha', 'Beta'];

/** A cluster connection whose Secret is worth stealing, in use. */
function setUp(scene: Scene): void {
  scene.addScope(hers, { Alpha: true, Beta: true });
  const access = { maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' };
  scene.connectCluster([{ namespaceSelector: { matchLabels: { team: alice } }, scopes: [hers], ...access }]);
  for (const name of [alice, mallory]) scene.addNamespace(name, { team: name });
  scene.declare('watch', [active('Alpha'), active('Beta')], {
    connectionRef: { kind: 'ClusterRoleAlertConnection', name: 'prod' },
    namespace: alice,
    scope: hers,
  });
}

export const thieves: Readonly<Record<string, Story>> = {
  'a connection names a credential that is not meant for it': async (scene) => {
    const { world } = scene;
    setUp(scene);
    await scene.start();
    const left = [...thefts];
    while (left.length > 0) {
      const [theft] = left.splice(Math.floor(scene.random.next() * left.length), 1);
      if (theft === undefined) break;
      await scene.wait(scene.between(1, 60) * secondMs);
      world.note(`--- ${theft} is named`);
      const secret = credentialName('prod');
      const target = { namespace: mallory, secret, scope: hers, until: '2026-01-01T20:00:00Z', alerts };
      steal(world, theft, target);
      await scene.wait(2 * minuteMs);
      scene.promise(`${theft} of ${resourceNamespace} is not used`, scene.readyOf('thief', mallory) !== 'Succeeded');
      scene.promise(
        'no alert of another tenant is deactivated',
        alerts.every((name) => scene.isActive(name, hers)),
      );
      putBack(world, mallory);
    }
    await scene.wait(3 * minuteMs);
  },
};
