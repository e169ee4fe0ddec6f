// What a status says while its connection waits, and of an alert that the operator itself activated again.
import type { Fate } from '../../engine/types.ts';
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
