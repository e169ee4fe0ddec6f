// Entries of the ledger that have to end, because their alert is active for good: what others do to it afterwards is not ours.
import { active, dismissed, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';

export const endings: Readonly<Record<string, Story>> = {
  'the clock goes back after a deactivation that no list shows': async (scene) => {
    const stepMs = scene.between(10, 60) * minuteMs;
    const step = (ms: number) => scene.world.replicas.forEach((replica) => scene.world.stepClock(replica, ms));
    scene.addScope(one, { Alpha: true });
    scene.connect();
    await scene.start();
    step(stepMs);
    scene.script.serviceLagMs = scene.between(30, 60) * secondMs;
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.until(() => !scene.isActive('Alpha'));
    scene.turn('Alpha', true);
    scene.remove('rolealertpolicies', 'quiet');
    await scene.wait(scene.between(1, 20) * secondMs);
    step(-stepMs);
    await scene.wait(scene.between(6, 9) * minuteMs);
    scene.promise('the entry of an active alert ends', scene.entries().length === 0);
    // As a person does.
    scene.turn('Alpha', false);
    await scene.wait(minuteMs);
    await scene.wait(2 * minuteMs);
    scene.promise('what a person deactivated stays inactive', !scene.isActive('Alpha'));
  },
};

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

/** Connections that are deleted while no operator runs: their finalizer keeps them until the next one has activated what they dismissed. */
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
