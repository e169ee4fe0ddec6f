// Ends of dismissals and suspensions at moments at which nothing else brings the scope back: its interval is long, and the last
// list failed, is under way, or has to wait.
import { startOfTimeMs } from '../../engine/sim-process.ts';
import type { Fate } from '../../engine/types.ts';
import { readyReason } from './pauses.ts';
import { active, dismissed, minuteMs, one, type Scene, secondMs, type Story } from './scene.ts';
import { failing, isList } from './script.ts';

const intervals = { interval: '12h' };

function suspended(untilMs: number) {
  const suspendUntil = new Date(startOfTimeMs + untilMs).toISOString().replace(/\.\d+Z/, 'Z');
  return { suspend: true, suspendUntil, ...intervals };
}

function throttling(seconds: number): Fate {
  return { kind: 'replace', answer: { status: 429, body: '{}', headers: { 'retry-after': String(seconds) } } };
}

/** A whole second ahead. */
function soonMs(scene: Scene, leastMs: number, mostMs: number): number {
  return Math.ceil((scene.world.time.nowMs + scene.between(leastMs, mostMs)) / secondMs) * secondMs;
}

async function begin(scene: Scene): Promise<void> {
  scene.addScope(one, { Alpha: true, Beta: true });
  scene.connect();
  scene.declare('watch', [active('Beta')], intervals);
  await scene.start();
  await scene.wait(scene.between(10, 30) * secondMs);
}

/** Alpha is inactive, so that the policy has something to do once it is back. */
async function backAt(scene: Scene, endMs: number, withinMs: number): Promise<void> {
  await scene.wait(Math.max(0, endMs - scene.world.time.nowMs));
  await scene.eventually('the end of a suspension is noticed', withinMs, () => scene.isActive('Alpha'));
}

export const moments: Readonly<Record<string, Story>> = {
  'a dismissal ends after a refused list': async (scene) => {
    await begin(scene);
    const endMs = soonMs(scene, 5 * minuteMs, 15 * minuteMs);
    scene.declare('quiet', [dismissed('Alpha', endMs)], intervals);
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(scene.between(30, 60) * secondMs);
    scene.script.meddle((request) => isList(request), failing(scene.pick(400, 404, 409)), 1);
    scene.request('watch');
    await scene.wait(Math.max(0, endMs - scene.world.time.nowMs));
    await scene.eventually('the end of a dismissal is noticed', minuteMs, () => scene.isActive('Alpha'));
    await scene.wait(4 * minuteMs);
  },
  'a suspension ends after a refused list': async (scene) => {
    await begin(scene);
    const endMs = soonMs(scene, 5 * minuteMs, 15 * minuteMs);
    scene.declare('back', [active('Alpha')], suspended(endMs));
    await scene.wait(scene.between(30, 60) * secondMs);
    scene.script.meddle((request) => isList(request), failing(scene.pick(400, 404, 409)), 1);
    scene.request('watch');
    scene.turn('Alpha', false);
    await backAt(scene, endMs, minuteMs);
    await scene.wait(2 * minuteMs);
  },
  'a suspension ends during a list': async (scene) => {
    await begin(scene);
    const endMs = soonMs(scene, minuteMs, 2 * minuteMs);
    scene.declare('back', [active('Alpha')], suspended(endMs));
    scene.turn('Alpha', false);
    await scene.wait(endMs - scene.between(100, 4000) - scene.world.time.nowMs);
    scene.script.meddle((request) => isList(request), { kind: 'deliver', answerDelayMs: 5000 }, 1);
    scene.request('watch');
    await backAt(scene, endMs, minuteMs);
    await scene.wait(2 * minuteMs);
  },
  'a suspension ends while its scope is throttled': async (scene) => {
    await begin(scene);
    const endMs = soonMs(scene, 2 * minuteMs, 4 * minuteMs);
    scene.declare('back', [active('Alpha')], suspended(endMs));
    await scene.wait(scene.between(10, 30) * secondMs);
    scene.script.meddle((request) => isList(request), throttling(1800), 1);
    scene.request('watch');
    await scene.wait(Math.max(0, endMs - scene.world.time.nowMs));
    await scene.eventually('a policy that is not suspended any more does not show it', minuteMs, () => {
      return readyReason(scene, 'back') !== 'Suspended';
    });
    await scene.wait(32 * minuteMs);
  },
};
