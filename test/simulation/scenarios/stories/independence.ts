// Two connections to one service that meet at one alert: neither waits for the other, and what one does is to the other the work of any
// client.
import { callerOf } from '../../alerts/callers.ts';
import { active, dismissed, guest, hourMs, minuteMs, one, type Story, team } from './scene.ts';

export const independence: Readonly<Record<string, Story>> = {
  'opposite declarations of one namespace': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.connect(team, { name: 'second' });
    scene.declare('quiet', [dismissed('Alpha')], { damping: { maxDeactivations: 2, window: '30m' } });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(scene.between(0, 3) * minuteMs);
    scene.declare('loud', [active('Alpha')], { connectionRef: { name: 'second' } });
    const isOver = () => scene.isActive('Alpha') && scene.readyOf('quiet') === 'Flapping';
    await scene.eventually('Active prevails, and the other policy shows Flapping', 5 * minuteMs, isOver);
    const prevailedMs = scene.world.time.nowMs;
    await scene.wait(15 * minuteMs);
    scene.promise('damping holds while the window lasts', isOver() && scene.sent('Alpha', false, prevailedMs) === 0);
    await scene.wait(25 * minuteMs);
    scene.promise('a new window changes nothing for long', isOver() && scene.sent('Alpha', false, prevailedMs) <= 2);
    scene.remove('rolealertpolicies', 'loud');
    await scene.eventually('a dismissal without opposition holds', 40 * minuteMs, () => !scene.isActive('Alpha'));
    await scene.wait(2 * minuteMs);
    scene.promise('and stays', !scene.isActive('Alpha'));
  },
};

export const readers: Readonly<Record<string, Story>> = {
  'a reader dismisses what another connection dismisses no more': async (scene) => {
    scene.world.service.accounts.readers.add(callerOf('token', guest, 'prod'));
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.connect(guest);
    scene.declare('quiet', [dismissed('Alpha')]);
    scene.declare('theirs', [dismissed('Alpha', 30 * hourMs)], { namespace: guest });
    await scene.start();
    await scene.eventually('a dismissal is carried out', 2 * minuteMs, () => !scene.isActive('Alpha'));
    await scene.wait(scene.between(1, 5) * minuteMs);
    const end = scene.pick('policy', 'grant', 'connection');
    if (end === 'policy') scene.remove('rolealertpolicies', 'quiet');
    else if (end === 'grant') scene.editConnection({ deactivation: 'Deny' });
    else scene.remove('rolealertconnections', 'prod');
    await scene.eventually('a dismissal ends with its declaration', 2 * minuteMs, () => scene.isActive('Alpha'));
    await scene.wait(scene.between(3, 20) * minuteMs);
    scene.promise('a credential that may only list changes nothing', scene.isActive('Alpha'));
    scene.promise('and takes no entry over', scene.entries(guest).length === 0);
  },
};
