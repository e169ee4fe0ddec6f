// Several scopes of one connection, one of which is throttled, fails, or is edited without end.
import type { Json } from '../../kube/spec-rules.ts';
import { active, minuteMs, type Scene, secondMs, type Story, team } from './scene.ts';
import { failing, isList } from './script.ts';

const scopes = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'].map(
  (name) => `subscriptions/${name}`,
);

function begin(scene: Scene, interval: string, limits: Json = {}): void {
  scene.connect(team, { limits });
  for (const [index, scope] of scopes.entries()) {
    scene.addScope(scope, { Alpha: true });
    scene.declare(`watch-${index}`, [active('Alpha')], { scope, interval });
  }
}

/** When each scope was listed. */
function listTimes(scene: Scene): Map<string, number[]> {
  const times = new Map<string, number[]>(scopes.map((scope) => [scope, []]));
  scene.world.onCall(({ kind, status, scope, atMs }) => {
    if (kind === 'list' && status === 200) times.get(scope.toLowerCase())?.push(atMs);
  });
  return times;
}

/** How often the connection was said not to be ready from now on. */
function countNotReady(scene: Scene): () => number {
  let count = 0;
  scene.world.api.store.onChange(({ plural, object }) => {
    const [ready] = (object.status?.['conditions'] ?? []) as readonly Json[];
    if (plural === 'rolealertconnections' && ready?.['status'] === 'False') count++;
  });
  return () => count;
}

export const many: Readonly<Record<string, Story>> = {
  'a scope that is always throttled': async (scene) => {
    begin(scene, '30s', { minInterval: '30s', maxConcurrent: scene.pick(1, 4) });
    const times = listTimes(scene);
    const [first = '', ...others] = scopes;
    const pauseMs = scene.pick(60, 120) * secondMs;
    const answer = { status: 429, headers: { 'retry-after': String(pauseMs / secondMs) }, body: '{}' };
    const mend = scene.script.meddle((request) => isList(request, first), { kind: 'replace', answer });
    await scene.start();
    await scene.wait(pauseMs + 30 * secondMs);
    const areListed = others.every((scope) => (times.get(scope)?.length ?? 0) > 0);
    scene.promise('every other scope is listed after the first pause', areListed);
    await scene.wait(60 * minuteMs);
    for (const scope of others) {
      const count = times.get(scope)?.length ?? 0;
      scene.promise(`${scope} was listed ${count} times in an hour beside a throttled scope`, count >= 45);
    }
    mend();
    await scene.wait(20 * minuteMs);
  },
  'an outage that scopes wait for': async (scene) => {
    begin(scene, '5m', { minInterval: '5m' });
    const times = listTimes(scene);
    await scene.start();
    await scene.wait(minuteMs);
    const mend = scene.script.meddle((request) => isList(request), failing(500));
    await scene.wait(4 * minuteMs - scene.between(1, 10) * secondMs);
    for (const [index] of scopes.entries()) if (index < 5) scene.request(`watch-${index}`);
    await scene.wait(scene.between(20, 60) * secondMs);
    mend();
    const mendedMs = scene.world.time.nowMs;
    const areListed = () => [...times.values()].every((list) => (list.at(-1) ?? 0) > mendedMs);
    await scene.eventually('every scope is listed once the service is back', 5 * minuteMs, areListed);
  },
  'scopes that always fail': async (scene) => {
    begin(scene, scene.pick('10s', '5m'));
    await scene.start();
    await scene.wait(minuteMs);
    const bad = scopes.slice(0, scene.pick(1, 6));
    const fate = scene.pick(failing(500), failing(401), { kind: 'reset' } as const);
    const mend = scene.script.meddle((request) => bad.some((scope) => isList(request, scope)), fate);
    // Several may fail at first without one that shows that the others work.
    if (bad.length > 1) await scene.wait(20 * minuteMs);
    const notReady = countNotReady(scene);
    await scene.wait(25 * minuteMs);
    scene.promise('a connection is not ready only because of scopes that fail', notReady() === 0);
    mend();
    await scene.wait(8 * minuteMs);
  },
  'edits without end': async (scene) => {
    begin(scene, '1m', { requestsPerHour: 240, burst: 10, minInterval: '1m' });
    await scene.start();
    for (let round = 0; round < 60; round++) {
      await scene.wait(scene.between(2, 8) * secondMs);
      scene.editConnection({ limits: { maxPages: 20 + (round % 7) } });
    }
    await scene.wait(20 * minuteMs);
  },
};
