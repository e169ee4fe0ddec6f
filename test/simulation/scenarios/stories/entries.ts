// Entries of the ledger whose deactivation is in doubt: its response was lost, a list does not show it yet, and then something happens that
// could be taken for a proof that nothing was done.
import type { Fate } from '../../engine/types.ts';
import { active, dismissed, hourMs, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { failing, isList, isPatch, isStatusWrite } from './script.ts';

/** Resolves right after the first PATCH was done, whose response is lost and whose effect no list shows for a while. */
async function loseAnswer(scene: Scene): Promise<void> {
  const { script } = scene;
  scene.addScope(one, { Alpha: true, Beta: false });
  scene.connect();
  script.serviceLagMs = scene.between(40, 90) * secondMs;
  script.meddle((request) => isPatch(request, 'Alpha'), { kind: 'lose-answer' }, 1);
  scene.declare('quiet', [dismissed('Alpha')]);
  await scene.start();
  await scene.until(() => !scene.isActive('Alpha'));
}

/** In the end no policy declares it. */
async function withdraw(scene: Scene): Promise<void> {
  await scene.wait(3 * minuteMs);
  scene.remove('rolealertpolicies', 'quiet');
  await scene.wait(6 * minuteMs);
}

export const entries: Readonly<Record<string, Story>> = {
  'a refusal after a lost answer': async (scene) => {
    scene.script.meddle(
      (request) => isPatch(request, 'Alpha') && !scene.isActive('Alpha'),
      failing(scene.pick(403, 404)),
      2,
    );
    await loseAnswer(scene);
    await withdraw(scene);
    // The service may refuse the activation as well: the next one is after four intervals, at most an hour.
    await scene.wait(hourMs + 12 * minuteMs);
  },
  'a second try is taken back after a lost answer': async (scene) => {
    await loseAnswer(scene);
    const mend = scene.script.meddle((request) => isStatusWrite(request, 'rolealertconnections'), failing(500));
    scene.later(scene.between(3, 20) * secondMs, mend);
    await withdraw(scene);
  },
  'the clock steps after a lost answer': async (scene) => {
    await loseAnswer(scene);
    scene.remove('rolealertpolicies', 'quiet');
    await scene.wait(scene.between(0, 2) * secondMs);
    for (const replica of scene.world.replicas) scene.world.stepClock(replica, scene.between(3, 60) * minuteMs);
    scene.declare('watch', [active('Beta')]);
    await scene.wait(8 * minuteMs);
  },
  'an alert that is deactivated again and again': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.start();
    for (let round = 0; round < 3; round++) {
      await scene.wait(scene.between(1, 5) * minuteMs);
      scene.turn('Alpha', true);
    }
    await withdraw(scene);
  },
  'a policy goes whose dismissal another one declares too': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha')]);
    scene.declare('still', [dismissed('Alpha')]);
    await scene.start();
    await scene.wait(2 * minuteMs);
    scene.remove('rolealertpolicies', String(scene.entries()[0]?.policy.split('/')[1]));
    await scene.wait(3 * minuteMs);
  },
  'a policy goes with what it dismissed': async (scene) => {
    scene.addScope(one, { Alpha: true, Beta: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha'), dismissed('Beta')]);
    await scene.start();
    await scene.wait(scene.between(20, 120) * secondMs);
    scene.remove('rolealertpolicies', 'quiet');
    await scene.wait(5 * minuteMs);
  },
  'a scope is away for hours': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect(undefined, { limits: { minInterval: '10m' } });
    scene.declare('quiet', [dismissed('Alpha', 1000 * hourMs, { incidents: ['incident-1'] })], { interval: '10m' });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(10 * minuteMs);
    const { service } = scene.world;
    const alerts = service.alertsOf(one) ?? [];
    service.removeScope(one);
    await scene.wait(scene.pick(1, 4, 16) * hourMs);
    service.addScope(one, alerts);
    scene.remove('rolealertpolicies', 'quiet');
    await scene.wait(3 * hourMs);
  },
  'a scope goes for good': async (scene) => {
    scene.addScope(one, { Alpha: true });
    scene.connect(undefined, { limits: { minInterval: '10m' } });
    scene.declare('quiet', [dismissed('Alpha', 1000 * hourMs, { incidents: ['incident-1'] })], { interval: '10m' });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha'));
    await scene.wait(10 * minuteMs);
    scene.world.service.removeScope(one);
    await scene.wait(scene.between(8, 20) * hourMs);
    if (scene.random.next() < 0.6) await scene.restart();
    await scene.wait(30 * hourMs - scene.world.time.nowMs);
    scene.promise('an entry of what is gone for 29 hours is dropped', scene.entries().length === 0);
  },
  'more deactivations than an hour allows': async (scene) => {
    scene.addScope(one, { Alpha: true, Beta: true, Gamma: true, Delta: true });
    scene.connect(undefined, { limits: { deactivationsPerHour: 2 } });
    scene.declare('quiet', [dismissed('Alpha'), dismissed('Beta')]);
    await scene.start();
    await scene.wait(scene.between(1, 10) * minuteMs);
    if (scene.random.next() < 0.8) await scene.restart();
    scene.declare('still', [dismissed('Gamma'), dismissed('Delta')]);
    await scene.wait(5 * minuteMs);
  },
};

/** The result says whether all of them are active, or none. */
export async function dismissFour(scene: Scene): Promise<(isActive: boolean) => boolean> {
  const scopes = [one, 'subscriptions/two'];
  for (const scope of scopes) scene.addScope(scope, { Alpha: true, Beta: true });
  scene.connect();
  for (const [index, scope] of scopes.entries())
    scene.declare(`quiet-${index}`, [dismissed('Alpha'), dismissed('Beta')], { scope });
  await scene.start();
  const areAll = (isActive: boolean) =>
    scopes.every((scope) => ['Alpha', 'Beta'].every((alert) => scene.isActive(alert, scope) === isActive));
  await scene.eventually('what is dismissed is deactivated', 2 * minuteMs, () => areAll(false));
  await scene.wait(scene.between(1, 200) * secondMs);
  return areAll;
}

export const lifts: Readonly<Record<string, Story>> = {
  'a connection is deleted during an outage': async (scene) => {
    const areAll = await dismissFour(scene);
    const { world, script } = scene;
    const isService = ({ origin }: { origin: string }) => origin === world.service.origin;
    const away = scene.pick<Fate>({ kind: 'refuse' }, { kind: 'reset' }, failing(500), failing(503));
    const mend = script.meddle(isService, scene.pick(away, failing(401), failing(403)));
    scene.remove('rolealertconnections', 'prod');
    await scene.wait(scene.pick(scene.between(20, 240) * secondMs, scene.between(5, 120) * minuteMs));
    if (scene.pick(true, false, false)) await scene.restart();
    await scene.wait(scene.between(1, 60) * secondMs);
    const isHeld = () => world.api.store.get('rolealertconnections', `${team}/prod`) !== undefined;
    scene.promise('the connection waits for its service', isHeld() && areAll(false));
    mend();
    await scene.eventually('the connection goes once its service is back', 20 * minuteMs, () => !isHeld());
    scene.promise('with every alert active', areAll(true));
  },
  'a connection is deleted while a PATCH is under way': async (scene) => {
    const { script, world } = scene;
    const two = 'subscriptions/two';
    for (const scope of [one, two]) scene.addScope(scope, { Alpha: true });
    scene.connect();
    scene.declare('loud', [dismissed('Alpha')], { scope: two });
    await scene.start();
    await scene.until(() => !scene.isActive('Alpha', two));
    await scene.wait(scene.between(5, 60) * secondMs);
    // The other scope keeps the reactivation, and its client, at work meanwhile.
    const mend = script.meddle((request) => isList(request, two), failing(500));
    const delayMs = scene.between(5, 15) * secondMs;
    script.meddle((request) => isPatch(request), { kind: 'deliver', delayMs });
    world.judges.push(({ isActive }) => {
      if (isActive !== false) return undefined;
      return () => scene.later(scene.between(0, 2) * secondMs, () => scene.remove('rolealertconnections', 'prod'));
    });
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.wait(2 * minuteMs);
    mend();
    await scene.wait(15 * minuteMs);
  },
  'a connection that is deleted is held by a finalizer': async (scene) => {
    const { store } = scene.world.api;
    scene.addScope(one, { Alpha: true });
    scene.connect();
    scene.declare('quiet', [dismissed('Alpha')]);
    await scene.start();
    await scene.wait(scene.between(20, 120) * secondMs);
    const found = store.get('rolealertconnections', 'team/prod');
    if (!found) return;
    const finalizers = [...(found.metadata.finalizers ?? []), 'example.dev/hold'];
    const metadata = { ...found.metadata, finalizers };
    store.put('rolealertconnections', { ...found, metadata });
    scene.remove('rolealertconnections', 'prod');
    await scene.wait(5 * minuteMs);
  },
};
