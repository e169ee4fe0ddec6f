// Dismissals that are widened: a later end, more incidents or a larger maximum, between the plan and its send, and while another policy
// claims the alert.
import type { Json } from '../../kube/spec-rules.ts';
import { active, dismissed, hourMs, minuteMs, type Scene, secondMs, type Story } from './scene.ts';

const farMs = 1000 * hourMs;
const twoDays = { limits: { maxDismissal: '48h' } };

/** What a dismissal that holds may become, and never be granted. */
const tooWide: readonly ((name: string) => Json)[] = [
  (name) => dismissed(name, farMs),
  (name) => dismissed(name, farMs, { maxIncidents: 100_000 }),
];

/** More than before, and granted. */
const wider: readonly ((name: string) => Json)[] = [
  (name) => dismissed(name, 40 * hourMs),
  (name) => dismissed(name, 20 * hourMs, { incidents: ['incident-0-0', 'incident-1-1'] }),
  (name) => dismissed(name, 40 * hourMs, { maxIncidents: 100 }),
];

const isOff = (scene: Scene) => !scene.isActive('Alpha');

export const widenings: Readonly<Record<string, Story>> = {
  'a dismissal is widened between the plan and the send': async (scene) => {
    scene.addScope('subscriptions/one', { Alpha: true });
    scene.connect(undefined, twoDays);
    await scene.start();
    for (let round = 0; round < 4; round++) {
      scene.script.watchLagMs = scene.pick(5, 10_000, 40_000);
      scene.declare('quiet', [dismissed('Alpha')]);
      await scene.wait(Math.max(0, scene.script.watchLagMs + scene.between(-100, 300)));
      scene.edit('quiet', { alerts: [scene.pick(...tooWide)('Alpha')] });
      await scene.wait(3 * minuteMs);
      scene.promise('a dismissal that reaches too far keeps no alert inactive', !isOff(scene));
      scene.remove('rolealertpolicies', 'quiet');
      await scene.wait(scene.between(60, 120) * secondMs);
    }
    scene.script.watchLagMs = 5;
    await scene.wait(3 * minuteMs);
  },
  'a dismissal is widened while another policy claims its alert': async (scene) => {
    scene.addScope('subscriptions/one', { Alpha: true });
    scene.connect(undefined, twoDays);
    scene.declare('watch', [active('Alpha')], { suspend: true });
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.start();
    await scene.eventually('a suspended claim holds nothing', 3 * minuteMs, () => isOff(scene));
    for (let round = 0; round < 4; round++) {
      scene.script.watchLagMs = scene.pick(5, 5, 20_000);
      await scene.wait(scene.between(1, 60) * secondMs);
      const acts = [
        () => scene.edit('watch', { suspend: false }),
        () => scene.edit('quiet', { alerts: [scene.pick(...wider)('Alpha')] }),
      ];
      const [first, second] = scene.pick(acts, acts.toReversed());
      first?.();
      await scene.wait(scene.between(0, 500));
      second?.();
      await scene.eventually('a claim beats a dismissal, however wide', 3 * minuteMs, () => !isOff(scene));
      const fromMs = scene.world.time.nowMs;
      scene.edit('quiet', { alerts: [scene.pick(...wider)('Alpha')] });
      scene.request('quiet');
      await scene.wait(2 * minuteMs);
      scene.promise('no widening wins an alert that is claimed', scene.sent('Alpha', false, fromMs) === 0);
      scene.edit('watch', { suspend: true });
    }
    scene.script.watchLagMs = 5;
    await scene.wait(5 * minuteMs);
  },
};
