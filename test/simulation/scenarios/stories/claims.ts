// Two connections of two namespaces that meet at one alert: one dismisses it, and what the other says of it counts, or does not.
import type { Json } from '../../kube/spec-rules.ts';
import { credentialName, putSecret, spelled } from '../generators.ts';
import { active, dismissed, guest, hourMs, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { failing, isList, isOf, isPatch, tokenFor } from './script.ts';

/** One dismisses, the other one wants it active. */
function meet(scene: Scene, { connection = {}, policy = {} }: { connection?: Json; policy?: Json } = {}): void {
  scene.addScope(one, { Alpha: true });
  scene.connect(guest, connection);
  scene.connect();
  scene.declare('guard', scene.pick([active('Alpha')], []), { namespace: guest, ...guarding, ...policy });
  scene.declare('quiet', [dismissed('Alpha')]);
}

const guarding = { unlisted: { state: 'Active', minSeverity: 'Low' } };

function failGuest(scene: Scene, name: string): void {
  const { origin } = scene.world.service;
  scene.world.lasting.all.push({ origin, scope: one, name, fromMs: 0, connection: `${guest}/prod` });
}

export const claims: Readonly<Record<string, Story>> = {
  'a neighbour without a credential': async (scene) => {
    meet(scene);
    const { staticTokens } = scene.world.service;
    if (scene.random.next() < 0.5) scene.remove('secrets', credentialName('prod'), guest);
    else staticTokens.delete(tokenFor(guest));
    await scene.start();
    await scene.eventually('a URL alone keeps no alert active', 5 * minuteMs, () => !scene.isActive('Alpha'));
  },
  'a neighbour that is heard late': async (scene) => {
    meet(scene, { connection: { limits: { requestTimeout: '1m' } } });
    const answerDelayMs = scene.between(10, 50) * secondMs;
    scene.script.meddle((request) => isList(request) && isOf(request, guest), { kind: 'deliver', answerDelayMs });
    await scene.start();
    await scene.wait(scene.between(1, 5) * minuteMs);
    if (scene.random.next() < 0.5) await scene.restart();
    await scene.wait(5 * minuteMs);
    scene.promise('no deactivation before every neighbour was heard', scene.sent('Alpha', false) === 0);
  },
  'a neighbour that is never heard': async (scene) => {
    meet(scene);
    failGuest(scene, scene.pick('half-open', 'black hole', '500'));
    await scene.start();
    await scene.eventually(
      'a neighbour is waited for a quarter of an hour',
      20 * minuteMs,
      () => !scene.isActive('Alpha'),
    );
  },
  'a neighbour loses its credential': async (scene) => {
    meet(scene);
    await scene.start();
    await scene.wait(scene.between(1, 4) * minuteMs);
    if (scene.random.next() < 0.5) scene.remove('secrets', credentialName('prod'), guest);
    else putSecret(scene, guest, 'prod', tokenFor(guest), false);
    await scene.eventually('a credential that is gone ends a claim', 5 * minuteMs, () => !scene.isActive('Alpha'));
  },
  'a neighbour logs in another way': async (scene) => {
    meet(scene);
    await scene.start();
    await scene.wait(scene.between(1, 4) * minuteMs);
    const clientSecretRef = { name: credentialName('prod'), key: 'value' };
    const clientCredentials = { tokenURL: 'https://nowhere.sim/token', clientID: 'unknown', clientSecretRef };
    scene.editConnection({ auth: { tokenSecretRef: null, clientCredentials } }, guest);
    await scene.eventually('a new credential proves itself anew', 5 * minuteMs, () => !scene.isActive('Alpha'));
  },
  'a guard next door': async (scene) => {
    const { origin } = scene.world.service;
    const baseURL = scene.pick(spelled(scene), origin.replace('alerts', 'Alerts'), `${origin}:443`);
    meet(scene, { connection: { endpoint: { baseURL } } });
    await scene.start();
    await scene.wait(scene.between(3, 20) * minuteMs);
    scene.promise('a dismissal never beats a guard of another connection', scene.sent('Alpha', false) === 0);
  },
  'an owner that may not correct': async (scene) => {
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
    await scene.eventually('others correct for an owner that does not', 3 * minuteMs, () => scene.isActive('Alpha'));
  },
  'an alert that another connection corrects': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect(guest, { limits: { minInterval: '1m' } });
    scene.connect(team, { limits: { minInterval: '1h' } });
    scene.declare('guard', [active('Alpha')], { namespace: guest, interval: '1m' });
    scene.declare('quiet', [dismissed('Alpha', 30 * hourMs)], { interval: '1h' });
    await scene.start();
    await scene.wait(3 * minuteMs);
    scene.turn('Alpha', false);
    scene.request('quiet');
    await scene.until(() => scene.isActive('Alpha'));
    const sees = () => scene.row('quiet', 'Alpha')?.['live'] === 'Active';
    await scene.eventually('a correction is seen by those whom it concerns', 2 * minuteMs, sees);
  },
};
