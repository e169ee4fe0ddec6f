// Several namespaces on one ClusterRoleAlertConnection, and tenants who try to do more than they are granted.
import type { Json } from '../../kube/spec-rules.ts';
import { active, dismissed, minuteMs, type Scene, secondMs, type Story } from './scene.ts';
import { isList } from './script.ts';

const [alice, mallory] = ['alice', 'mallory'];
const hers = 'subscriptions/a';
const everything = { maxMode: 'Enforce', deactivation: 'Allow', unlisted: 'Allow' } as const;
const entry = (namespaces: string, scopes: readonly string[], change: Json = {}): Json => ({
  namespaceSelector: { matchLabels: { team: namespaces } },
  scopes,
  ...everything,
  ...change,
});

/** Alice may do everything on her subscription, and Mallory on hers. */
const usual = [entry(alice, [hers]), entry(mallory, ['subscriptions/m'])];
const cluster = { connectionRef: { kind: 'ClusterRoleAlertConnection', name: 'prod' } };

function setUp(scene: Scene, access: readonly Json[] = usual, limits: Json = {}): void {
  scene.addScope(hers, { Alpha: true, Beta: true });
  scene.addScope('subscriptions/ab', { Alpha: true, Beta: true });
  scene.addScope('subscriptions/m', { Alpha: true, Beta: true });
  scene.connectCluster(access, limits);
  for (const name of [alice, mallory]) scene.addNamespace(name, { team: name });
}

const isOff = (scene: Scene, alert = 'Alpha', scope = hers) => !scene.isActive(alert, scope);

const attacks: Readonly<Record<string, Story>> = {
  'a tenant names the scopes of another one': async (scene) => {
    setUp(scene);
    scene.declare('watch', [active('Alpha'), active('Beta')], { ...cluster, namespace: alice, scope: hers });
    await scene.start();
    const scopes = [hers, 'Subscriptions/A', 'subscriptions/ab', 'subscriptions', 'subscriptions/a/providers', 'a'];
    for (const [index, scope] of scopes.entries()) {
      const unlisted = { state: 'Active', minSeverity: 'Low' };
      const spec = { ...cluster, namespace: mallory, scope, interval: '5s' };
      scene.declare(`forged-${index}`, [dismissed('Alpha'), dismissed('Beta')], { ...spec, unlisted });
      await scene.wait(scene.between(1, 20) * secondMs);
      scene.request(`forged-${index}`, mallory);
    }
    await scene.wait(3 * minuteMs);
    scene.promise('no alert of another tenant is deactivated', !isOff(scene) && !isOff(scene, 'Beta'));
    const denied = scopes.filter((_, index) => scene.readyOf(`forged-${index}`, mallory) !== 'AccessDenied');
    scene.promise(`a forged scope is denied, unlike ${denied.join()}`, denied.length === 0);
  },
  'a scope with the same prefix text': async (scene) => {
    setUp(scene);
    scene.declare('quiet', [dismissed('Alpha')], { ...cluster, namespace: alice, scope: 'subscriptions/ab' });
    await scene.start();
    await scene.wait(3 * minuteMs);
    scene.promise('an alert beside the granted scope is left alone', !isOff(scene, 'Alpha', 'subscriptions/ab'));
  },
  'entries that allow a deactivation only together': async (scene) => {
    const halves = [entry(alice, [hers], { deactivation: 'Deny' }), entry(alice, [hers], { maxMode: 'Observe' })];
    setUp(scene, scene.pick(halves, halves.toReversed()));
    scene.declare('quiet', [dismissed('Alpha')], { ...cluster, namespace: alice, scope: hers });
    await scene.start();
    await scene.wait(3 * minuteMs);
    scene.promise('an alert stays active that no single entry lets deactivate', !isOff(scene));
  },
  'a label is taken away between the plan and the send': async (scene) => {
    setUp(scene);
    await scene.start();
    for (let round = 0; round < 4; round++) {
      scene.label(alice, { team: alice });
      await scene.wait(minuteMs);
      scene.script.watchLagMs = scene.pick(5, 20_000, 60_000);
      scene.declare(`quiet-${round}`, [dismissed(scene.pick('Alpha', 'Beta'))], {
        ...cluster,
        namespace: alice,
        scope: hers,
      });
      await scene.wait(scene.script.watchLagMs - scene.pick(0, 5000) - scene.between(0, 100));
      scene.label(alice, {});
      await scene.wait(3 * minuteMs);
      scene.remove('rolealertpolicies', `quiet-${round}`, alice);
    }
    scene.script.watchLagMs = 5;
    await scene.eventually('what was deactivated under a lost grant is active', 5 * minuteMs, () =>
      ['Alpha', 'Beta'].every((alert) => scene.isActive(alert, hers)),
    );
  },
  'a label that is lost ends a dismissal': async (scene) => {
    setUp(scene);
    scene.declare('quiet', [dismissed('Alpha')], { ...cluster, namespace: alice, scope: hers, interval: '1h' });
    await scene.start();
    await scene.until(() => isOff(scene));
    scene.promise('a granted dismissal is carried out', isOff(scene));
    await scene.wait(scene.between(1, 300) * secondMs);
    scene.label(alice, scene.pick({}, { team: mallory }));
    await scene.eventually('an alert is active again after its label is lost', minuteMs, () => !isOff(scene));
    await scene.eventually('the policy shows it', minuteMs, () => scene.readyOf('quiet', alice) === 'AccessDenied');
  },
  'an entry is removed during a reconcile': async (scene) => {
    setUp(scene);
    scene.declare('quiet', [dismissed('Alpha'), active('Beta')], { ...cluster, namespace: alice, scope: hers });
    await scene.start();
    for (let round = 0; round < 5; round++) {
      await scene.wait(scene.between(5, 60) * secondMs);
      let isArmed = true;
      scene.world.onExchange.push(({ request }) => {
        if (!isArmed || !isList(request, hers)) return;
        isArmed = false;
        scene.later(scene.between(0, 400), () => scene.editCluster({ access: usual.slice(1) }));
      });
      // Never Alpha off: what others deactivate stays as it is.
      if (scene.pick(true, false)) scene.turn('Alpha', true, hers);
      else scene.turn('Beta', false, hers);
      await scene.wait(scene.between(20, 90) * secondMs);
      isArmed = false;
      scene.editCluster({ access: usual });
    }
    scene.editCluster({ access: [] });
    await scene.eventually('nothing stays dismissed without an entry', 5 * minuteMs, () => !isOff(scene));
  },
  'a list waits while its grant ends': async (scene) => {
    // Each list waits a minute for the rate limiter. No other scope opens a client of the edited connection meanwhile.
    setUp(scene, usual, { requestsPerHour: 60, burst: 2, minInterval: '10s' });
    scene.declare('quiet', [active('Alpha')], { ...cluster, namespace: alice, scope: hers });
    await scene.start();
    for (let round = 0; round < 4; round++) {
      await scene.wait(scene.between(60, 200) * secondMs);
      if (scene.pick(true, false)) scene.label(alice, {});
      else scene.editCluster({ access: usual.slice(1) });
      await scene.wait(scene.between(60, 200) * secondMs);
      scene.label(alice, { team: alice });
      scene.editCluster({ access: usual });
    }
  },
  'a namespace and its policies are created again': async (scene) => {
    setUp(scene);
    scene.declare('watch', [active('Alpha')], { ...cluster, namespace: alice, scope: hers });
    await scene.start();
    await scene.wait(minuteMs);
    for (let round = 0; round < 2; round++) {
      scene.removeNamespace(mallory);
      await scene.until(() => !scene.hasNamespace(mallory));
      scene.addNamespace(mallory, scene.pick({}, { team: alice }));
      scene.declare('claim', [dismissed('Alpha'), dismissed('Beta')], { ...cluster, namespace: mallory, scope: hers });
      await scene.wait(scene.between(1, 60) * secondMs);
      scene.label(mallory, { team: mallory });
      await scene.wait(3 * minuteMs);
      scene.promise('a younger claim deactivates nothing that an older one keeps active', !isOff(scene));
    }
    await scene.eventually('nothing stays dismissed without a grant', 5 * minuteMs, () => !isOff(scene, 'Beta'));
  },
};

/** What a watch is behind, and what a ledger keeps for a while. */
const restMs = 3 * minuteMs;

/** Each ends at rest, as what it leaves behind is judged. */
export const tenants: Readonly<Record<string, Story>> = Object.fromEntries(
  Object.entries(attacks).map(([name, play]) => [
    name,
    async (scene: Scene) => {
      await play(scene);
      await scene.wait(restMs);
    },
  ]),
);

/** After all other stories, so that their seeds remain. */
export const crowds: Readonly<Record<string, Story>> = {
  'a tenant takes every deactivation that it can': async (scene) => {
    const flagsOf = (alerts: readonly string[]) => Object.fromEntries(alerts.map((alert) => [alert, true]));
    const many = Array.from({ length: 64 }, (_, number) => `Alert-${number}`);
    const theirs = 'subscriptions/m';
    scene.addScope(hers, flagsOf([...many, 'Late']));
    scene.addScope(theirs, flagsOf(many));
    scene.connectCluster(usual);
    for (const name of [alice, mallory]) scene.addNamespace(name, { team: name });
    const all = many.map((alert) => dismissed(alert));
    const spec = { ...cluster, interval: '1h' };
    scene.declare('quiet', all, { ...spec, namespace: alice, scope: hers });
    await scene.start();
    // A namespace uses at most half of the hour, so the last of them wait for the next one.
    const isDone = () => many.every((alert) => isOff(scene, alert));
    await scene.eventually('64 dismissals of one team are carried out', 80 * minuteMs, isDone);
    const usurp = async (round: number) => {
      scene.declare(`quiet-${round}`, all, { ...spec, namespace: mallory, scope: theirs });
      await scene.wait(scene.between(5, 20) * secondMs);
      scene.remove('rolealertpolicies', `quiet-${round}`, mallory);
    };
    for (let round = 0; round < 8; round++) await usurp(round);
    scene.declare('approved', [dismissed('Late')], { ...spec, namespace: alice, scope: hers });
    const untilMs = scene.world.time.nowMs + 10 * minuteMs;
    for (let round = 8; !isOff(scene, 'Late') && scene.world.time.nowMs < untilMs; round++) await usurp(round);
    scene.promise('the dismissal of the other team is sent within ten minutes', isOff(scene, 'Late'));
    await scene.wait(restMs);
  },
};
