// What lasts for hours without a change: after its beginning it writes no status, emits no event and logs ever less.
import { expect, it } from 'vitest';

import { alert, createStage, type Failure, scope, type Stage } from './diagnosis/failure.ts';
import { logText } from './diagnosis/sources.ts';
import type { Fate, SimRequest } from './engine/types.ts';
import { addScope, createPolicy } from './fixture.ts';
import { readResources } from './kube/resources.ts';

type Situation = Omit<Partial<Failure>, 'clue' | 'title'>;

const minuteMs = 60_000;
const resources = await readResources();
const clue: Failure['clue'] = { object: '', reason: '', cause: [], fix: /$/ };

const answered = (status: number): Fate => ({
  kind: 'replace',
  answer: { status, body: JSON.stringify({ error: { code: 'Any' } }) },
});
const isPatch = ({ method }: Pick<SimRequest, 'method'>): boolean => method === 'PATCH';
const other = 'subscriptions/b';

function addOther({ world }: Stage): void {
  addScope(world, other, { B: true });
  createPolicy(world, 'other', { scope: other, interval: '5m', alerts: [{ name: 'B', state: 'Active' }] });
}

/** Every PATCH ends like this, and every list works. A second scope has nothing to correct. */
const patches = (fate: Fate): Situation => ({
  alerts: { [alert]: false },
  before(stage) {
    addOther(stage);
    stage.setFate((request) => (isPatch(request) ? fate : undefined));
  },
});

/** Every request on the second scope ends like this. */
const otherRequests = (fate: Fate): Situation => ({
  before(stage) {
    addOther(stage);
    stage.setFate(({ path }) => (path.includes(other) ? fate : undefined));
  },
});

const incidents = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, type: `Type${index % 3}`, assigneeName: 'Any' }));

const dismissedFor = (days: number) => ({
  alerts: [
    {
      name: alert,
      state: 'Inactive',
      dismissal: {
        reason: 'tracked in SEC-1',
        until: new Date(Date.UTC(2026, 0, 1 + days)).toISOString().replace('.000', ''),
      },
    },
  ],
});

function each(stage: Stage, act: (turn: number) => void): void {
  let turn = 0;
  const next = (): void => {
    act(turn++);
    stage.world.time.schedule(5 * minuteMs, next);
  };
  next();
}

const situations: readonly (readonly [string, Situation])[] = [
  ['every PATCH gets 403', patches(answered(403))],
  ['every PATCH gets 429', patches(answered(429))],
  ['every PATCH gets 500', patches(answered(500))],
  ['every answer to a PATCH is lost', patches({ kind: 'lose-answer' })],
  ['one scope gets 429', otherRequests(answered(429))],
  [
    'every list has another order of incidents',
    {
      after: (stage) =>
        each(stage, (turn) =>
          stage.world.service.scan(scope, alert, turn % 2 ? incidents(60) : incidents(60).toReversed()),
        ),
    },
  ],
  [
    'every list has another order of alerts',
    {
      alerts: { [alert]: true, B: true, C: false },
      after: (stage) =>
        each(stage, () => stage.world.service.addScope(scope, stage.world.service.alertsOf(scope)?.toReversed())),
    },
  ],
  ['a suspension ends in months', { policy: { suspend: true, suspendUntil: '2027-06-01T00:00:00Z' } }],
  ['a dismissal ends later', { policy: dismissedFor(20), connection: { maxDismissal: '720h' } }],
];

it.each(situations)('%s', async (title, situation) => {
  const failure: Failure = { title, clue, ...situation };
  const stage = createStage(resources, failure);
  const { world } = stage;
  failure.before?.(stage);
  const replica = await world.startReplica();
  await world.time.runUntil(10 * minuteMs);
  failure.after?.(stage);
  await world.time.runUntil(120 * minuteMs);
  const [events, lines] = [world.api.store.list('events').length, logText(world).length];
  let statuses = 0;
  world.api.onWrite.push((_, { isStatus }) => void (statuses += isStatus ? 1 : 0));
  await world.time.runUntil(300 * minuteMs);
  const later = { statuses, events: world.api.store.list('events').length - events };
  expect(later).toEqual({ statuses: 0, events: 0 });
  expect(logText(world).length - lines).toBeLessThanOrEqual(15);
  await replica.stop();
});
