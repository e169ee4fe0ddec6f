// The declaration changes between the plan of a deactivation and its send, and a watch delivers that late, never, or just in time.
import { kubeOrigin } from '../../replica.ts';
import { dismissed, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { isList } from './script.ts';

/** What takes the declaration back. */
const withdrawals: readonly ((scene: Scene) => void)[] = [
  (scene) => scene.edit('quiet', { alerts: [{ name: 'Alpha', state: 'Active' }] }),
  (scene) => scene.edit('quiet', { suspend: true }),
  (scene) => scene.editConnection({ deactivation: 'Deny' }),
  (scene) => scene.remove('rolealertpolicies', 'quiet'),
  (scene) => {
    scene.remove('rolealertpolicies', 'quiet');
    scene.declare('quiet', [{ name: 'Beta', state: 'Active' }]);
  },
];

function hold(scene: Scene): void {
  const { store } = scene.world.api;
  const policy = scene.policy('quiet');
  if (!policy) return;
  store.put('rolealertpolicies', { ...policy, metadata: { ...policy.metadata, finalizers: ['example.dev/hold'] } });
  scene.remove('rolealertpolicies', 'quiet');
}

function setUp(scene: Scene): void {
  scene.addScope(one, { Alpha: true, Beta: true });
  scene.connect(team, { limits: { requestTimeout: '1m' } });
  scene.declare('quiet', [dismissed('Alpha')]);
}

/** It was deactivated a while ago. */
async function begin(scene: Scene): Promise<void> {
  setUp(scene);
  await scene.start();
  await scene.until(() => !scene.isActive('Alpha'));
  await scene.wait(scene.between(20, 60) * secondMs);
}

export const sends: Readonly<Record<string, Story>> = {
  'a withdrawal that no watch delivers': async (scene) => {
    await begin(scene);
    scene.world.network.silenceAll(kubeOrigin);
    scene.pick(...withdrawals)(scene);
    await scene.wait(scene.pick(1, 20, 38, 45) * secondMs);
    scene.turn('Alpha', true);
    await scene.wait(5 * minuteMs);
    scene.promise('what was withdrawn deactivates nothing', scene.sent('Alpha', false) === 1);
  },
  'a policy whose deletion waits, and no watch delivers it': async (scene) => {
    await begin(scene);
    scene.world.network.silenceAll(kubeOrigin);
    hold(scene);
    await scene.wait(scene.pick(1, 20, 38, 45) * secondMs);
    scene.turn('Alpha', true);
    await scene.wait(5 * minuteMs);
    scene.promise('what is being deleted deactivates nothing', scene.sent('Alpha', false) === 1);
  },
  'a withdrawal after the last reading': async (scene) => {
    setUp(scene);
    // The first list is too old for a deactivation. A list after the reading that takes more than five seconds asks for another reading.
    const [firstMs, nextMs] = [scene.between(6, 10) * secondMs, scene.pick(3200, 4500, 7000)];
    const { world } = scene;
    let isOver = false;
    world.onExchange.push(({ request, outcome }) => {
      const isReading = request.method === 'GET' && request.path.endsWith('/rolealertpolicies/quiet');
      if (isOver || !isReading || outcome !== 200) return;
      isOver = true;
      scene.later(scene.between(10, 3000), () => scene.pick(...withdrawals)(scene));
    });
    scene.script.meddle((request) => isList(request) && !isOver, { kind: 'deliver', answerDelayMs: firstMs });
    scene.script.meddle((request) => isList(request) && isOver, { kind: 'deliver', answerDelayMs: nextMs });
    await scene.start();
    await scene.until(() => isOver);
    await scene.wait(40 * secondMs);
    scene.promise('what was withdrawn deactivates nothing', scene.sent('Alpha', false) === 0);
    scene.promise('what was never sent leaves no entry', scene.entries().length === 0);
    await scene.wait(5 * minuteMs);
  },
};
