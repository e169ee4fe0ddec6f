// Connections that are deleted while no operator runs: their finalizer keeps them until the next one has activated what they dismissed.
import { active, dismissed, one, type Scene, secondMs, type Story, team } from './scene.ts';

function killAll({ world }: Scene): void {
  for (const replica of world.replicas) if (replica.isAlive) replica.kill();
}

/** Begins two dismissals, and kills the operator at any moment: often right after it sent a deactivation. */
async function dismissAndKill(scene: Scene): Promise<void> {
  scene.addScope(one, { Alpha: true, Beta: true });
  scene.connect();
  scene.declare('quiet', [dismissed('Alpha')]);
  scene.declare('still', [dismissed('Beta')]);
  let isKilled = false;
  const kill = () => {
    if (!isKilled) killAll(scene);
    isKilled = true;
  };
  if (scene.random.next() < 0.5) scene.onDeactivated(() => scene.later(scene.between(0, 40), kill));
  await scene.start();
  await scene.wait(scene.between(1, 30) * secondMs);
  kill();
}

export const survivals: Readonly<Record<string, Story>> = {
  'a connection is deleted and created again while no operator runs': async (scene) => {
    await dismissAndKill(scene);
    scene.remove('rolealertconnections', 'prod');
    scene.edit('quiet', { alerts: [active('Gamma')] });
    await scene.wait(scene.between(1, 100) * secondMs);
    await scene.start();
    const isGone = () => scene.world.api.store.get('rolealertconnections', `${team}/prod`) === undefined;
    await scene.eventually('the connection goes', 400 * secondMs, isGone);
    scene.promise('with every alert active', scene.isActive('Alpha') && scene.isActive('Beta'));
    scene.connect();
    await scene.eventually('what is still dismissed is inactive', 300 * secondMs, () => !scene.isActive('Beta'));
    scene.promise('what nothing declares is active', scene.isActive('Alpha'));
    const inLedger = () => scene.entries().map(({ alert }) => alert);
    await scene.eventually('the ledger has what is inactive', 300 * secondMs, () => inLedger().join() === 'Beta');
  },
};
