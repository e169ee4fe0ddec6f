// What a status says while its connection waits, and of an alert that the operator itself activated again.
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
