// What the register of a connection shows changes while an alert stays inactive.
import type { Json } from '../../kube/spec-rules.ts';
import { dismissed, guest, hourMs, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';

const weekMs = 7 * 24 * hourMs;

function announced({ world }: Scene): number {
  return world.api.store.list('events').filter((event) => event['reason'] === 'DismissalEnding').length;
}

export const registers: Readonly<Record<string, Story>> = {
  'a dismissal changes its bound, its end and its reason': async (scene) => {
    scene.addScope(one, { Alpha: true, Beta: true });
    scene.connect();
    const until = scene.between(20, 28) * hourMs;
    scene.declare('quiet', [dismissed('Alpha', 60 * hourMs), dismissed('Beta', until)]);
    await scene.start();
    await scene.wait(scene.between(1, 4) * minuteMs);
    if (scene.random.next() < 0.3) await scene.restart();
    const bound = scene.pick<Json>(
      { maxIncidents: 7 },
      { reason: 'accepted '.repeat(20) },
      { incidents: ['incident-1'] },
    );
    scene.edit('quiet', {
      alerts: [dismissed('Alpha', scene.between(20, 28) * hourMs, bound), dismissed('Beta', until)],
    });
    await scene.wait(3 * minuteMs);
  },
  'another connection declares what a policy dismissed that goes': async (scene) => {
    scene.addScope(one, { Alpha: true });
    for (const namespace of [team, guest]) scene.connect(namespace);
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    scene.declare('still', [dismissed('Alpha', 30 * hourMs, { reason: 'known to the guests' })], { namespace: guest });
    await scene.wait(scene.between(1, 4) * minuteMs);
    scene.remove('rolealertpolicies', 'quiet');
    await scene.wait(5 * minuteMs);
    scene.promise('what another connection dismisses is inactive again', !scene.isActive('Alpha'));
    scene.promise('in its own ledger', scene.entries().length === 0 && scene.entries(guest).length === 1);
  },
  'a dismissal ends in a week': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    const noticeMs = scene.between(10, 50) * minuteMs;
    scene.declare('quiet', [dismissed('Alpha', noticeMs + weekMs)], { interval: '2h' });
    await scene.start();
    await scene.wait(noticeMs - 10 * secondMs - scene.world.time.nowMs);
    scene.promise('no dismissal is announced to end before its last week', announced(scene) === 0);
    await scene.wait(20 * secondMs);
    scene.promise('a dismissal is announced to end a week before', announced(scene) === 1);
    if (scene.random.next() < 0.5) await scene.restart();
    scene.request('quiet');
    await scene.wait(2 * minuteMs);
    scene.turn('Alpha', true);
    scene.request('quiet');
    await scene.wait(5 * minuteMs);
    scene.promise('a dismissal is announced to end once', announced(scene) === 1);
  },
};
