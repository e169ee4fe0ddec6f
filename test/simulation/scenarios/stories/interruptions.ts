// One correction at a time: undisturbed, and while its process sleeps or its connection is deleted.
import { freezeAtNextPatch } from '../actions.ts';
import { active, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { isPatch } from './script.ts';

const reference = { kind: 'ClusterRoleAlertConnection', name: 'prod' };
const everything = { maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' } as const;
const access = [{ namespaceSelector: { matchLabels: { team } }, scopes: [one], ...everything }];

async function showsMissing(scene: Scene): Promise<void> {
  const isShown = () => scene.readyOf('watch') === 'ConnectionNotFound';
  await scene.eventually('a policy shows that its connection is gone', 2 * minuteMs, isShown);
}

export const interruptions: Readonly<Record<string, Story>> = {
  'an activation that the next list shows': async (scene) => {
    scene.addScope(one, { Alpha: false });
    scene.connect();
    scene.declare('watch', [active('Alpha')]);
    let isLeftOpen = false;
    scene.world.api.store.onChange(() => (isLeftOpen ||= scene.readyOf('watch') === 'VerifyingWrite'));
    await scene.start();
    await scene.eventually('an activation succeeds', 2 * minuteMs, () => scene.readyOf('watch') === 'Succeeded');
    await scene.wait(2 * minuteMs);
    scene.promise('the list that verifies a PATCH counts', !isLeftOpen);
  },
  'a process sleeps before it sends an activation': async (scene) => {
    scene.addScope(one, { Alpha: false });
    scene.connect();
    scene.declare('watch', [active('Alpha')]);
    freezeAtNextPatch(scene);
    for (let replica = 0; replica < 2; replica++) await scene.start({ leaderElect: true });
    await scene.eventually('another process activates it', 5 * minuteMs, () => scene.isActive('Alpha'));
    await scene.wait(3 * minuteMs);
  },
  'a connection is deleted while a list waits': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.addNamespace(team, { team });
    // After the burst, each list waits a minute for the rate limiter.
    const connect = () => scene.connectCluster(access, { requestsPerHour: 60, burst: 2, minInterval: '10s' });
    connect();
    scene.declare('watch', [active('Alpha')], { connectionRef: reference });
    await scene.start();
    for (let round = 0; round < 3; round++) {
      await scene.wait(scene.between(90, 200) * secondMs);
      // The first ones take what the rate limiter has saved.
      for (let request = 0; request < 4; request++) {
        scene.request('watch');
        await scene.wait(scene.between(1, 5) * secondMs);
      }
      scene.removeCluster();
      await scene.wait(2 * minuteMs);
      await showsMissing(scene);
      connect();
    }
    await scene.wait(3 * minuteMs);
  },
  'a connection is deleted while an activation is under way': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.declare('watch', [active('Alpha')]);
    await scene.start();
    await scene.wait(scene.between(20, 60) * secondMs);
    const answerDelayMs = scene.between(5, 14) * secondMs;
    scene.script.meddle((request) => isPatch(request), { kind: 'deliver', answerDelayMs });
    scene.turn('Alpha', false);
    await scene.until(() => scene.isActive('Alpha'));
    scene.remove('rolealertconnections', 'prod');
    scene.edit('watch', { interval: '20s' });
    await showsMissing(scene);
    await scene.wait(2 * minuteMs);
    await showsMissing(scene);
  },
};
