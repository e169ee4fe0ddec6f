// Two connections to one service that meet at one alert: neither waits for the other, and what one does is to the other the work of any
// client.
import { callerOf } from '../../alerts/callers.ts';
import type { Json } from '../../kube/spec-rules.ts';
import { credentialName, putSecret } from '../generators.ts';
import { active, dismissed, guest, hourMs, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { isList, isOf, tokenFor } from './script.ts';

/** The team dismisses Alpha, and the guest wants it active. */
function meet(scene: Scene, connection: Json = {}): void {
  scene.addScope(one, { Alpha: true });
  scene.connect(guest, connection);
  scene.connect();
  scene.declare('guard', scene.pick([active('Alpha')], []), { namespace: guest, ...guarding });
  scene.declare('quiet', [dismissed('Alpha')], { damping });
}

const guarding = { unlisted: { state: 'Active', minSeverity: 'Low' } };
const damping = { maxDeactivations: 2, window: '30m' };

/** Within the damping window of `quiet`, and in the next one. */
async function activePrevails(scene: Scene): Promise<void> {
  const isOver = () => scene.isActive('Alpha') && scene.readyOf('quiet') === 'Flapping';
  await scene.eventually('Active prevails, and the other policy shows Flapping', 5 * minuteMs, isOver);
  const prevailedMs = scene.world.time.nowMs;
  await scene.wait(15 * minuteMs);
  scene.promise('damping holds while the window lasts', isOver() && scene.sent('Alpha', false, prevailedMs) === 0);
  await scene.wait(25 * minuteMs);
  scene.promise('a new window changes nothing for long', isOver() && scene.sent('Alpha', false, prevailedMs) <= 2);
}

export const independence: Readonly<Record<string, Story>> = {
  'a neighbour that answers late': async (scene) => {
    meet(scene, { limits: { requestTimeout: '1m' } });
    const answerDelayMs = scene.between(30, 50) * secondMs;
    scene.script.meddle((request) => isList(request) && isOf(request, guest), { kind: 'deliver', answerDelayMs });
    await scene.start();
    await scene.eventually('a dismissal waits for no other connection', 20 * secondMs, () => !scene.isActive('Alpha'));
    await scene.eventually('Active prevails', 10 * minuteMs, () => scene.readyOf('quiet') === 'Flapping');
    await scene.wait(2 * minuteMs);
    scene.promise('and stays', scene.isActive('Alpha'));
  },
  'a neighbour loses its credential': async (scene) => {
    meet(scene);
    await scene.start();
    await scene.wait(scene.between(1, 4) * minuteMs);
    if (scene.random.next() < 0.5) scene.remove('secrets', credentialName('prod'), guest);
    else putSecret(scene, guest, 'prod', tokenFor(guest), false);
    // The token serves for at most a minute more.
    await scene.wait(2 * minuteMs);
    await scene.eventually('a dismissal comes back after its damping', 40 * minuteMs, () => !scene.isActive('Alpha'));
    await scene.wait(3 * minuteMs);
    scene.promise('a credential that is gone activates nothing', !scene.isActive('Alpha'));
  },
  'opposite declarations of one namespace': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.connect(team, { name: 'second' });
    scene.declare('quiet', [dismissed('Alpha')], { damping });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(scene.between(0, 3) * minuteMs);
    scene.declare('loud', [active('Alpha')], { connectionRef: { name: 'second' } });
    await activePrevails(scene);
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
