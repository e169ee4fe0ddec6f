// Connections that are deleted while no operator runs: their ledger lives on in the statuses of the policies.
import { simAlert } from '../../alerts/sim-alert.ts';
import { startOfTimeMs } from '../../engine/sim-process.ts';
import { otherOrigin } from '../../world.ts';
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

/** Deletes the connection; the returned function creates it again. */
function disconnect({ world: { api } }: Scene, baseURL?: string): () => void {
  const connections = api.resource('rolealertconnections');
  const { spec = {} } = api.store.get('rolealertconnections', `${team}/prod`) ?? {};
  api.writes.delete(connections, team, 'prod');
  const next = baseURL === undefined ? spec : { ...spec, endpoint: { baseURL } };
  return () => void api.writes.create(connections, team, { metadata: { name: 'prod' }, spec: next });
}

/** The operator starts before or after the connection is there again. */
async function startAgain(scene: Scene, reconnect: () => void): Promise<void> {
  const isFirst = scene.random.next() < 0.5;
  if (isFirst) reconnect();
  await scene.start();
  await scene.wait(scene.between(5, 30) * secondMs);
  if (!isFirst) reconnect();
}

async function createdAgain(scene: Scene): Promise<void> {
  const reconnect = disconnect(scene);
  scene.edit('quiet', { alerts: [active('Gamma')] });
  await startAgain(scene, reconnect);
  await scene.eventually('what nothing declares is active again', 120 * secondMs, () => scene.isActive('Alpha'));
  await scene.eventually('what is still dismissed is inactive', 300 * secondMs, () => !scene.isActive('Beta'));
  const inLedger = () => scene.entries().map(({ alert }) => alert);
  await scene.eventually('the ledger has what is inactive', 300 * secondMs, () => inLedger().join() === 'Beta');
}

async function createdForAnotherService(scene: Scene): Promise<void> {
  const { otherService } = scene.world;
  otherService.addScope(
    one,
    ['Alpha', 'Beta'].map((name) => simAlert(name, false, startOfTimeMs)),
  );
  const reconnect = disconnect(scene, otherOrigin);
  scene.edit('quiet', { alerts: [active('Gamma')] });
  await startAgain(scene, reconnect);
  await scene.wait(scene.between(100, 300) * secondMs);
  scene.promise('what others deactivated stays inactive', otherService.find(one, 'Alpha')?.isActive === false);
}

export const survivals: Readonly<Record<string, Story>> = {
  'a connection is deleted and created again while no operator runs': async (scene) => {
    await dismissAndKill(scene);
    await (scene.random.next() < 0.6 ? createdAgain(scene) : createdForAnotherService(scene));
  },
};
