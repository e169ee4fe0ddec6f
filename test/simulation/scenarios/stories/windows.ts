// Correction windows on the clocks of many zones: nothing but the clock opens them, and nothing is deactivated before and after.
import { windowAt, zones } from '../windows.ts';
import { dismissed, hourMs, minuteMs, one, type Scene, secondMs, type Story } from './scene.ts';

/** What may happen before a window opens. */
const interludes: readonly ((scene: Scene) => Promise<void> | void)[] = [
  () => undefined,
  (scene) => scene.restart(),
  (scene) => scene.request('quiet'),
  (scene) => scene.edit('quiet', { damping: { maxDeactivations: 4 } }),
];

async function waitUntil(scene: Scene, atMs: number): Promise<void> {
  await scene.wait(Math.max(0, atMs - scene.world.time.nowMs));
}

export const windows: Readonly<Record<string, Story>> = {
  'a deactivation waits for its windows': async (scene) => {
    const opensMs = Math.ceil(scene.between(3, 20)) * minuteMs;
    const minutes = Math.ceil(scene.between(5, 15));
    const timeZone = scene.pick(...zones);
    const isAllow = scene.random.next() < 0.5;
    // The Deny begins before the story.
    const freeze = windowAt('Deny', { atMs: opensMs - hourMs, minutes: 60, timeZone });
    const opening = windowAt('Allow', { atMs: opensMs, minutes, timeZone });
    const correctionWindows = [isAllow ? opening : freeze];
    const isOfPolicy = scene.random.next() < 0.5;
    scene.addScope(one, { Alpha: true });
    scene.connect(undefined, isOfPolicy ? {} : { correctionWindows });
    scene.declare('quiet', [dismissed('Alpha')], { interval: '12h', ...(isOfPolicy && { correctionWindows }) });
    await scene.start();
    await scene.wait(scene.between(10, 60) * secondMs);
    await scene.pick(...interludes)(scene);
    await waitUntil(scene, opensMs);
    scene.promise('nothing is deactivated before the window opens', scene.sent('Alpha', false) === 0);
    await scene.eventually('the opening of a window is noticed', minuteMs, () => !scene.isActive('Alpha'));
    await waitUntil(scene, opensMs + minutes * minuteMs);
    scene.turn('Alpha', true);
    scene.request('quiet');
    await scene.wait(2 * minuteMs);
    scene.promise('a window that has closed holds the deactivation', scene.isActive('Alpha') === isAllow);
  },
};
