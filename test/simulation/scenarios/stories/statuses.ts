// Writes of statuses that meet what an API server may answer, and objects that change under them.
import type { Fate } from '../../engine/types.ts';
import { Refusal, refusalAnswer } from '../../kube/object.ts';
import { active, dismissed, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { isList, isStatusWrite } from './script.ts';

function refusing(status: number): Fate {
  return { kind: 'replace', answer: refusalAnswer(new Refusal(status, 'drawn by a story')) };
}

async function begin(scene: Scene): Promise<void> {
  scene.addScope(one, { Alpha: true, Beta: false });
  scene.connect();
  scene.declare('watch', [active('Alpha')]);
  await scene.start();
  await scene.wait(scene.between(30, 60) * secondMs);
}

export const statuses: Readonly<Record<string, Story>> = {
  'a 404 for the status of a connection': async (scene) => {
    await begin(scene);
    scene.script.meddle((request) => isStatusWrite(request, 'rolealertconnections'), refusing(404), scene.pick(1, 2));
    scene.declare('other', [active('Alpha')], { scope: scene.pick(one, 'subscriptions/two') });
    await scene.wait(3 * minuteMs);
  },
  'a 404 after a conflict': async (scene) => {
    await begin(scene);
    scene.script.meddle((request) => isStatusWrite(request, 'rolealertpolicies'), refusing(409), 1);
    const isReading = ({ method, path }: { method: string; path: string }) =>
      method === 'GET' && path.endsWith('/rolealertpolicies/watch');
    scene.script.meddle(isReading, refusing(404), 1);
    scene.edit('watch', { suspend: true });
    await scene.wait(3 * minuteMs);
  },
  'a policy is made anew while it is listed': async (scene) => {
    await begin(scene);
    scene.script.watchLagMs = scene.between(1000, 4000);
    scene.script.meddle((request) => isList(request), { kind: 'deliver', answerDelayMs: 800 }, 3);
    scene.world.service.scan(one, 'Alpha', [{ id: 'incident-1', type: 'Incident', assigneeName: 'Canary Person' }]);
    let isOver = false;
    scene.world.judges.push(({ kind }) => {
      if (isOver || kind !== 'list') return undefined;
      isOver = true;
      return () =>
        scene.later(scene.between(50, 900), () => {
          scene.remove('rolealertpolicies', 'watch');
          scene.declare('watch', [active('Beta')]);
          scene.turn('Beta', false);
        });
    });
    await scene.wait(5 * minuteMs);
  },
  'a connection is edited while the service is slow': async (scene) => {
    await begin(scene);
    const answerDelayMs = scene.between(500, 5000);
    scene.script.meddle((request) => isList(request), { kind: 'deliver', answerDelayMs });
    for (let round = 0; round < 5; round++) {
      await scene.wait(scene.between(5, 30) * secondMs);
      scene.editConnection({ limits: { burst: 50 + round } });
    }
    await scene.wait(2 * minuteMs);
  },
  'a watch that delivers late': async (scene) => {
    const { world, script } = scene;
    script.watchLagMs = scene.between(12, 25) * secondMs;
    world.onExchange.push(({ request, outcome }) => {
      const isOurs = isStatusWrite(request, 'rolealertpolicies') || isStatusWrite(request, 'rolealertconnections');
      if (isOurs && outcome === 409 && isCalm) scene.promise('no status is written over a newer one of our own', false);
    });
    let isCalm = false;
    scene.addScope(one, { Alpha: true, Beta: false, Gamma: true });
    scene.connect(team);
    scene.declare('watch', [active('Alpha'), active('Beta'), dismissed('Gamma')], { interval: '5s' });
    await scene.start();
    await scene.wait(minuteMs);
    isCalm = true;
    for (let round = 0; round < 20; round++) {
      scene.turn(scene.pick('Alpha', 'Beta'), false);
      await scene.wait(scene.between(4, 8) * secondMs);
    }
    await scene.wait(3 * minuteMs);
  },
  'a policy goes while watches expire': async (scene) => {
    scene.addScope(one, { Alpha: true, Beta: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha')]);
    scene.declare('watch', [active('Beta')]);
    await scene.start();
    await scene.wait(minuteMs);
    const { api } = scene.world;
    api.watches.endAll('rolealertpolicies');
    scene.remove('rolealertpolicies', 'quiet');
    scene.remove('rolealertpolicies', 'watch');
    api.store.compact();
    await scene.wait(2 * minuteMs);
    scene.turn('Beta', false);
    await scene.wait(8 * minuteMs);
  },
};
