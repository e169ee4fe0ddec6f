// Two connections to one service that meet at one alert: neither waits for the other, and what one does is to the other the work of any
// client.
import { callerOf } from '../../alerts/callers.ts';
import type { Json } from '../../kube/spec-rules.ts';
import { credentialName, putSecret } from '../generators.ts';
import { active, dismissed, guest, hourMs, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { failing, isList, isOf, isPatch, tokenFor } from './script.ts';

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

function failGuest(scene: Scene, name: string): void {
  const { origin } = scene.world.service;
  scene.world.lasting.all.push({ origin, scope: one, name, fromMs: 0, connection: `${guest}/prod` });
}

function letOnlyList(scene: Scene, namespace: string): void {
  scene.world.service.accounts.readers.add(callerOf('token', namespace, 'prod'));
}

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
  'a neighbour without a credential': async (scene) => {
    meet(scene);
    const { staticTokens } = scene.world.service;
    if (scene.random.next() < 0.5) scene.remove('secrets', credentialName('prod'), guest);
    else staticTokens.delete(tokenFor(guest));
    await scene.start();
    await scene.eventually('a dismissal is carried out', 2 * minuteMs, () => !scene.isActive('Alpha'));
    await scene.wait(3 * minuteMs);
    scene.promise('a URL alone keeps no alert active', !scene.isActive('Alpha') && scene.sent('Alpha', true) === 0);
  },
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
  'a neighbour that is never heard': async (scene) => {
    meet(scene);
    failGuest(scene, scene.pick('half-open', 'black hole', '500'));
    await scene.start();
    await scene.eventually('a dismissal waits for no other connection', 2 * minuteMs, () => !scene.isActive('Alpha'));
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
  'a reader guards what another connection dismisses': async (scene) => {
    letOnlyList(scene, guest);
    meet(scene);
    await scene.start();
    await scene.eventually('a dismissal is carried out', 2 * minuteMs, () => !scene.isActive('Alpha'));
    await scene.wait(scene.between(3, 20) * minuteMs);
    scene.promise('a credential that may only list changes nothing', !scene.isActive('Alpha'));
    const reason = scene.readyOf('guard', guest);
    scene.promise(`its policy shows CorrectionFailed, and not ${String(reason)}`, reason === 'CorrectionFailed');
  },
  'opposite declarations of two namespaces': async (scene) => {
    meet(scene);
    await scene.start();
    await activePrevails(scene);
  },
  'a neighbour that may not correct': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect(guest);
    scene.declare('guard', [active('Alpha')], { namespace: guest });
    await scene.start();
    await scene.wait(10 * secondMs);
    scene.connect();
    scene.declare('watch', [active('Alpha')]);
    scene.script.meddle((request) => isPatch(request) && isOf(request, guest), failing(scene.pick(403, 500)));
    await scene.wait(scene.between(1, 3) * minuteMs);
    scene.turn('Alpha', false);
    await scene.eventually('each connection corrects for itself', minuteMs, () => scene.isActive('Alpha'));
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
    letOnlyList(scene, guest);
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
