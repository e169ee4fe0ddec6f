// A rate limit that does not suffice for the policies of its connection.
import type { Json } from '../../kube/spec-rules.ts';
import { active, dismissed, minuteMs, type Scene, type Story, team } from './scene.ts';

const scopes = ['one', 'two', 'three', 'four'].map((name) => `subscriptions/${name}`);

function capacityOf({ world }: Scene): Json {
  const { status = {} } = world.api.store.get('rolealertconnections', `${team}/prod`) ?? {};
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  return conditions.find(({ type }) => type === 'Capacity') ?? {};
}

/** Reasons of the events about the rate limit, in their order. */
function eventsOf({ world }: Scene): unknown[] {
  return world.api.store
    .list('events')
    .map((event) => (event as unknown as Json)['reason'])
    .filter((reason) => String(reason).startsWith('Budget'));
}

export const capacity: Readonly<Record<string, Story>> = {
  'a rate limit that is too small': async (scene) => {
    const requestsPerHour = scene.pick(60, 100, 239);
    scene.connect(team, { limits: { requestsPerHour, burst: scene.pick(4, 20), minInterval: '30s' } });
    for (const [index, scope] of scopes.entries()) {
      scene.addScope(scope, { Alpha: true });
      const interval = index === 0 ? scene.pick('1m', '30s', '1h') : '1m';
      scene.declare(`watch-${index}`, [active('Alpha')], { scope, interval });
    }
    await scene.start();
    await scene.wait(10 * minuteMs);
    const isTooSmall = capacityOf(scene)['reason'] === 'BudgetTooSmall';
    const isNeeded = neededPerHour(scene) > requestsPerHour;
    scene.promise('the rate limit is called too small exactly if it is', isTooSmall === isNeeded);
    if (scene.pick(true, false)) await scene.restart();
    await scene.wait(10 * minuteMs);
    const events = isNeeded ? ['BudgetTooSmall'] : [];
    scene.promise('the rate limit is reported once', JSON.stringify(eventsOf(scene)) === JSON.stringify(events));
    if (!isNeeded || scene.pick(true, false)) return;
    const [, minInterval] = /limits\.minInterval to (\w+)/.exec(String(capacityOf(scene)['message'])) ?? [];
    scene.editConnection({ limits: scene.pick<Json>({ requestsPerHour: 36_000 }, { minInterval }) });
    const suffices = () => capacityOf(scene)['status'] === 'True';
    await scene.eventually('the rate limit suffices after what the message recommends', 10 * minuteMs, suffices);
    await scene.wait(minuteMs);
    scene.promise('the end is reported', eventsOf(scene).join() === 'BudgetTooSmall,BudgetSufficient');
  },
  /** `checkConvergence` compares what the status predicts. */
  'a scope that grows by a page': async (scene) => {
    scene.connect();
    const [scope = ''] = scopes;
    const flags = (count: number) => Array.from({ length: count }, (_, index) => [`Alert${index}`, true] as const);
    scene.addScope(scope, Object.fromEntries(flags(3)));
    scene.declare('watch', [active('Alert0')], { scope, interval: '1m' });
    await scene.start();
    await scene.wait(scene.between(1, 4) * minuteMs);
    scene.addScope(scope, Object.fromEntries(flags(scene.pick(60, 120))));
    await scene.wait(3 * minuteMs);
    // The operator must not predict for ever what was once needed.
    if (scene.pick(true, false)) return;
    scene.addScope(scope, Object.fromEntries(flags(3)));
    await scene.wait(3 * minuteMs);
  },
};

function neededPerHour({ world }: Scene): number {
  const perHour: Readonly<Record<string, number>> = { '30s': 120, '1m': 60, '1h': 1 };
  const policies = world.api.store.list('rolealertpolicies');
  return policies.reduce((sum, { spec = {} }) => sum + (perHour[String(spec['interval'])] ?? 0), 0);
}

export const slowness: Readonly<Record<string, Story>> = {
  'many dismissals at a low rate limit': async (scene) => {
    const [scope = ''] = scopes;
    const names = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta'].slice(scene.pick(0, 1, 2));
    scene.connect(team, { limits: { requestsPerHour: 240, burst: scene.pick(2, 4), maxConcurrent: 1 } });
    scene.addScope(scope, Object.fromEntries(names.map((name) => [name, true])));
    const dismissals = names.map((name) => dismissed(name));
    scene.declare('quiet', dismissals, { scope, interval: '1h' });
    await scene.start();
    const off = () => names.filter((name) => !scene.isActive(name, scope));
    await scene.until(() => off().length > 0);
    const isShown = () => off().some((name) => scene.row('quiet', name)?.['live'] === 'Inactive');
    await scene.eventually('a deactivation is shown before all the others are sent', minuteMs, isShown);
    await scene.eventually('all are sent', 15 * minuteMs, () => off().length === names.length);
  },
};
