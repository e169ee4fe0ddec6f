// What a status says while its connection waits, and of an alert that the operator itself activated again.
import { startOfTimeMs } from '../../engine/sim-process.ts';
import type { Fate } from '../../engine/types.ts';
import type { Json } from '../../kube/spec-rules.ts';
import { active, dismissed, minuteMs, one, type Scene, secondMs, type Story } from './scene.ts';
import { isList } from './script.ts';

function throttling(seconds: number): Fate {
  return { kind: 'replace', answer: { status: 429, headers: { 'retry-after': String(seconds) }, body: '' } };
}

function begin(scene: Scene): void {
  scene.addScope(one, { Alpha: true, Beta: true });
  scene.connect();
}

export const pauses: Readonly<Record<string, Story>> = {
  'a pause of many intervals': async (scene) => {
    begin(scene);
    scene.declare('watch', [active('Alpha')], { interval: scene.pick('10s', '30s') });
    await scene.start();
    await scene.wait(scene.between(30, 90) * secondMs);
    const seconds = Math.floor(scene.between(240, 900));
    scene.script.meddle((request) => isList(request), throttling(seconds), 1);
    await scene.wait(seconds * secondMs + 3 * minuteMs);
  },
  'a dismissal that may not be any more': async (scene) => {
    begin(scene);
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(scene.between(10, 200) * secondMs);
    if (scene.pick(true, false)) scene.editConnection({ deactivation: 'Deny' });
    else scene.declare('guard', [active('Alpha')]);
    await scene.eventually('what may not be dismissed is active again', minuteMs, () => scene.isActive('Alpha'));
    await scene.wait(3 * minuteMs);
  },
};

const two = 'subscriptions/two';

export function readyReason(scene: Scene, name: string): unknown {
  const conditions = ((scene.policy(name)?.status ?? {})['conditions'] ?? []) as readonly Json[];
  return conditions.find(({ type }) => type === 'Ready')?.['reason'];
}

export const resumptions: Readonly<Record<string, Story>> = {
  'a suspension that ends within a pause': async (scene) => {
    begin(scene);
    scene.addScope(two, { Alpha: true });
    scene.declare('watch', [active('Alpha')]);
    scene.declare('still', [active('Alpha')], { scope: two, interval: '1h' });
    await scene.start();
    await scene.until(() => readyReason(scene, 'still') === 'Succeeded');
    scene.edit('still', { suspend: true });
    await scene.until(() => readyReason(scene, 'still') === 'Suspended');
    const seconds = Math.floor(scene.between(120, 600));
    scene.script.meddle((request) => isList(request), throttling(seconds), 1);
    await scene.wait(scene.between(20, 40) * secondMs);
    scene.edit('still', { suspend: false });
    await scene.eventually('a policy that is not suspended any more does not show it', 30 * secondMs, () => {
      return readyReason(scene, 'still') !== 'Suspended';
    });
    await scene.wait(seconds * secondMs + minuteMs);
  },
};

/** RFC 3339, for a virtual time. */
function textOf(virtualMs: number): string {
  return new Date(startOfTimeMs + virtualMs).toISOString().replace(/\.\d+Z/, 'Z');
}

/** What may happen before the end. */
const interludes: readonly ((scene: Scene) => Promise<void>)[] = [
  async () => {},
  async (scene) => scene.restart(),
  async (scene) => scene.request('watch'),
  async (scene) => scene.declare('other', [active('Gamma')]),
];

/** They end by themselves. Nothing but the clock brings the policy back, and nothing may bring it back before. */
export const suspensions: Readonly<Record<string, Story>> = {
  'a suspension that ends by itself': async (scene) => {
    const endMs = Math.ceil(scene.between(2, 15)) * minuteMs;
    const suspension = { suspend: true, suspendUntil: textOf(endMs) };
    scene.addScope(one, { Alpha: true, Beta: false, Gamma: true });
    scene.connect();
    scene.declare('watch', [dismissed('Alpha'), active('Beta')], suspension);
    await scene.start();
    await scene.wait(scene.between(10, 60) * secondMs);
    await scene.pick(...interludes)(scene);
    await scene.wait(Math.max(0, endMs - secondMs - scene.world.time.nowMs));
    scene.promise('a suspended policy sends nothing', scene.patches.length === 0);
    const isDone = () => !scene.isActive('Alpha') && scene.isActive('Beta');
    await scene.eventually('the end of a suspension is noticed', minuteMs, isDone);
    await scene.wait(2 * minuteMs);
  },
};
