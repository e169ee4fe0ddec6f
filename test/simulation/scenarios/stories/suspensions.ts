// Suspensions that end by themselves. Nothing but the clock brings the policy back, and nothing may bring it back before.
import { startOfTimeMs } from '../../engine/sim-process.ts';
import { active, dismissed, minuteMs, one, type Scene, secondMs, type Story } from './scene.ts';

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
