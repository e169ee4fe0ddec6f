// A connection whose Secret changes while the whole operator runs: how long a value is used, and the cost of reading.
import { expect, it } from 'vitest';

import { canaryToken } from '../support/checks/canaries.ts';
import { addScope, conditionsOf, connectionOf, createFixture, createPolicy, namespace } from './fixture.ts';
import { readResources } from './kube/resources.ts';
import { type World, serviceOrigin } from './world.ts';

const resources = await readResources();
const minuteMs = 60_000;
const label = { 'rolealerts.dev/credential': 'true' };

/** Of every connection here, whatever becomes of its Secret. */
const capacity = 'Capacity=True/BudgetSufficient';

/** One scope that is listed every ten seconds. */
async function started(interval = '10s') {
  const limits = { minInterval: '5s' };
  const world = createFixture(resources, { seed: 5, connection: { limits }, values: { leaderElect: false } });
  addScope(world, 'subscriptions/a', { A: false });
  createPolicy(world, 'owners', { scope: 'subscriptions/a', interval, alerts: [{ name: 'A', state: 'Active' }] });
  /** When the service was last sent each credential. */
  const lastSentMs = new Map<string, number>();
  const reads: string[] = [];
  world.onExchange.push(({ request: { origin, path, method, headers, sentAtMs } }) => {
    if (origin === serviceOrigin) lastSentMs.set(String(headers['authorization']), sentAtMs);
    else if (path.includes('/secrets')) reads.push(`${method} ${path}`);
  });
  await world.startReplica();
  await world.time.runUntil(5 * minuteMs);
  expect(conditionsOf(connectionOf(world))).toEqual(['Ready=True/Connected', capacity]);
  return { world, lastSentMs, reads };
}

function putSecret(world: World, token: string, labels: Readonly<Record<string, string>> = label): void {
  const { api } = world;
  const data = { token: Buffer.from(token).toString('base64') };
  const resource = api.resource('secrets');
  const sent = { metadata: { name: 'credential', labels }, data };
  if (api.store.get('secrets', `${namespace}/credential`)) api.writes.replace(resource, namespace, 'credential', sent);
  else api.writes.create(resource, namespace, sent);
}

const removeSecret = ({ api }: World) => void api.writes.delete(api.resource('secrets'), namespace, 'credential');

it.each([
  ['deleted', 'SecretNotFound', removeSecret],
  ['stripped of its label', 'SecretNotAllowed', (world: World) => putSecret(world, canaryToken, {})],
])(
  'a Secret that is %s ends the requests within a minute, and they continue within 30 s of its return',
  async (_, reason, end) => {
    const { world, lastSentMs } = await started();
    const endedMs = world.time.nowMs;
    end(world);
    await world.time.runUntil(endedMs + 60 * minuteMs);
    expect((lastSentMs.get(`Bearer ${canaryToken}`) ?? 0) - endedMs).toBeLessThanOrEqual(minuteMs);
    expect(conditionsOf(connectionOf(world))).toEqual([`Ready=False/${reason}`, capacity]);
    const warnings = world.lines.filter((line) => line.includes('"level":"warn"'));
    const said = [`${reason}.*Secret ${namespace}/credential, key token: `, `Secret ${namespace}/credential does not `];
    for (const text of said) expect(warnings).toContainEqual(expect.stringMatching(text));
    putSecret(world, canaryToken);
    await world.time.runUntil(world.time.nowMs + 30_000);
    expect(conditionsOf(connectionOf(world))).toEqual(['Ready=True/Connected', capacity]);
  },
);

it('the Secret is read by its name, once a minute while requests go out, and not at all while there are none', async () => {
  const { world, reads } = await started();
  const path = `GET /api/v1/namespaces/${namespace}/secrets/credential`;
  expect(new Set(reads)).toEqual(new Set([path]));
  const before = reads.length;
  await world.time.runUntil(world.time.nowMs + 60 * minuteMs);
  expect(reads.length - before).toBeGreaterThanOrEqual(50);
  expect(reads.length - before).toBeLessThanOrEqual(60);
  const { api } = world;
  api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, 'owners', { spec: { suspend: true } });
  await world.time.runUntil(world.time.nowMs + minuteMs);
  const suspended = reads.length;
  await world.time.runUntil(world.time.nowMs + 24 * 60 * minuteMs);
  expect(reads.length).toBe(suspended);
});
