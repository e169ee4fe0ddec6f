// The whole operator in virtual time: it converges, and a seed is deterministic to the last byte.
import { afterEach, expect, it, vi } from 'vitest';

import { simAlert } from './alerts/sim-alert.ts';
import { createNamespace } from './kube/namespaces.ts';
import { readResources } from './kube/resources.ts';
import { type Mode, runSeed } from './run-seed.ts';
import { serviceOrigin, World } from './world.ts';

const resources = await readResources();
const scope = 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590';

afterEach(() => {
  vi.unstubAllGlobals();
});

async function smallWorld(seed: number): Promise<World> {
  const world = new World({ seed, resources });
  const { api, service, time } = world;
  createNamespace(api, 'team');
  service.staticTokens.set('token-of-team', 'team');
  service.addScope(scope, [simAlert('TooManyOwners', false, 0), simAlert('Other', true, 0)]);
  api.writes.create(api.resource('secrets'), 'team', {
    metadata: { name: 'credential', labels: { 'rolealerts.dev/credential': 'true' } },
    data: { token: Buffer.from('token-of-team').toString('base64') },
  });
  api.writes.create(api.resource('rolealertconnections'), 'team', {
    metadata: { name: 'prod' },
    spec: { endpoint: { baseURL: serviceOrigin }, auth: { tokenSecretRef: { name: 'credential', key: 'token' } } },
  });
  api.writes.create(api.resource('rolealertpolicies'), 'team', {
    metadata: { name: 'owners' },
    spec: { connectionRef: { name: 'prod' }, scope, alerts: [{ name: 'TooManyOwners', state: 'Active' }] },
  });
  await world.startReplica();
  await time.runUntil(30 * 60_000);
  return world;
}

it('converges in virtual time', async () => {
  const world = await smallWorld(1);
  const policy = world.api.store.get('rolealertpolicies', 'team/owners');
  expect(policy?.status).toMatchObject({ observedGeneration: 1, summary: { inSyncText: '1/1' } });
  expect(world.service.find(scope, 'TooManyOwners')?.isActive).toBe(true);
  expect(world.service.calls.filter(({ kind }) => kind === 'patch')).toHaveLength(1);
});

it('goes the same way for the same seed, and another for another', async () => {
  const hashes = [];
  for (const seed of [7, 7, 8]) hashes.push((await smallWorld(seed)).traceHash());
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[0]).not.toBe(hashes[2]);
});

it('goes the same way through faults, however many turns of the event loop each moment is given', async () => {
  const seeds: [number, Mode][] = [
    [5, 'liveness'],
    [4, 'safety'],
    [1769, 'directed'],
  ];
  const runAll = async () => {
    const hashes = [];
    for (const [seed, mode] of seeds) hashes.push((await runSeed({ seed, mode, resources })).traceHash);
    return hashes;
  };
  const first = await runAll();
  const turn = setImmediate;
  vi.stubGlobal('setImmediate', (run: () => void) => turn(() => turn(() => turn(run))));
  expect(await runAll()).toEqual(first);
  expect(new Set(first).size).toBe(seeds.length);
});

it('leaves nothing open when it has stopped', async () => {
  const world = await smallWorld(1);
  const [replica] = world.replicas;
  const { time, api, network } = world;
  expect(network.openExchanges(replica!.process)).toBeGreaterThan(0);
  const stopping = replica!.stop();
  await time.runUntil(time.nowMs + 60_000);
  await stopping;
  const { process } = replica!;
  expect([network.openExchanges(process), process.openTimers, api.watches.count]).toEqual([0, 0, 0]);
});

it('waits for no process that is killed while it stops', async () => {
  const world = await smallWorld(1);
  const [replica] = world.replicas;
  let hasEnded = false;
  void replica!.stop().then(() => (hasEnded = true));
  expect(replica!.isStopping).toBe(true);
  replica!.kill();
  await world.time.runUntil(world.time.nowMs + 1000);
  expect([hasEnded, replica!.isStopping, replica!.leftovers()]).toEqual([true, false, []]);
});

it('reports a process that never stops', async () => {
  const world = await smallWorld(1);
  const [replica] = world.replicas;
  replica!.process.freeze();
  void replica!.stop();
  await world.time.runUntil(world.time.nowMs + 600_000);
  expect(replica!.leftovers()).toEqual(['replica-0, which did not stop']);
});
