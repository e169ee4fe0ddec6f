// The reports of the status oracles: each case writes an invalid status, bypassing the operator.
import { describe, expect, it } from 'vitest';

import { addScope, createFixture, createPolicy, policyOf } from '../fixture.ts';
import { readResources } from '../kube/resources.ts';
import { kubeOrigin } from '../replica.ts';
import { rogueIn } from '../rogue.ts';
import type { World } from '../world.ts';
import { attributionOracle } from './attribution.ts';
import type { Oracle } from './oracle.ts';
import { stalenessOracle } from './staleness.ts';
import { statusOracle } from './status.ts';

const resources = await readResources();
const scope = 'subscriptions/one';
const path = '/apis/rolealerts.dev/v1alpha1/namespaces/team/rolealertpolicies/owners';

function watched(oracle: Oracle, world: World): string[] {
  const reports: string[] = [];
  oracle.watch(world, (what) => reports.push(what));
  addScope(world, scope, { A: true, B: false });
  createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Active' }] });
  return reports;
}

const ready = (status: string, reason: string) => ({
  conditions: [{ type: 'Ready', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
});

async function write(world: World, status: object): Promise<void> {
  const body = { ...policyOf(world, 'owners'), status: { observedGeneration: 1, ...status } };
  await rogueIn(world).send(kubeOrigin, 'PUT', `${path}/status`, body);
}

describe('a request that is called handled', () => {
  it.each([
    [
      'by a list that failed',
      'ProtocolError',
      ['team/owners: a request was handled by a reconcile that failed: ProtocolError'],
    ],
    ['by a refusal of the scope', 'ScopeNotFound', []],
  ])('%s', async (_by, reason, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports = watched(statusOracle, world);
    await write(world, { ...ready('False', reason), lastHandledReconcileAt: 'now' });
    expect(reports).toEqual(expected);
  });
});

describe('an older generation after a newer one', () => {
  it.each([
    ['without a correction', {}, ['team/owners: generation 1 was observed after a newer one']],
    ['with a verified correction', { history: [{ alert: 'A' }] }, []],
  ])('%s', async (_how, change, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports = watched(statusOracle, world);
    await write(world, { ...ready('Unknown', 'Progressing'), observedGeneration: 2 });
    await write(world, { ...ready('Unknown', 'Progressing'), ...change });
    expect(reports).toEqual(expected);
  });
});

it('a write that is being verified although nothing was sent', async () => {
  const world = createFixture(resources, { seed: 1 });
  const reports = watched(statusOracle, world);
  await write(world, ready('Unknown', 'VerifyingWrite'));
  expect(reports).toContain('team/owners: VerifyingWrite, and its connection sent nothing');
});

describe('an activation by the operator', () => {
  it.each([
    ['that is reported as drift by a key', 'Key', false, ['team/owners says Key activated B, which the operator did']],
    [
      'that is reported as drift by itself',
      'Self',
      false,
      ['team/owners says Self activated B, which the operator did'],
    ],
    ['that others repeated', 'User', true, []],
  ])('%s', async (_how, actorClass, isRepeated, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports = watched(attributionOracle, world);
    await rogueIn(world).turn('B', true);
    if (isRepeated) world.service.turn(scope, 'B', true, 'User');
    const lastDrift = { at: '2026-01-01T00:00:01Z', actorClass, direction: 'Activated' };
    const seen = { severity: 'High', scanning: 'Enabled', incidents: { total: 0 }, lastDrift };
    const row = { name: 'B', want: 'Inactive', live: 'Active', state: 'Quiet', result: 'Denied', ...seen };
    await write(world, { conditions: [], alerts: [row] });
    expect(reports).toEqual(expected);
  });
});

describe('a status that stays Ready', () => {
  it.each([
    ['within a pause of an hour', '3600', ['team/owners is Ready 245 s into a pause']],
    ['within a pause of three intervals', '180', []],
  ])('%s', async (_within, seconds, expected) => {
    const answer = { status: 429, headers: { 'retry-after': seconds }, body: '' };
    const world: World = createFixture(resources, {
      seed: 1,
      fateOf: ({ origin }) => (origin === kubeOrigin ? { kind: 'deliver' } : { kind: 'replace', answer }),
    });
    const reports = watched(stalenessOracle, world);
    await write(world, { ...ready('True', 'Succeeded'), effective: { mode: 'Enforce', interval: '1m0s', scope } });
    const rogue = rogueIn(world);
    await rogue.list();
    while (world.time.nowMs < 400_000) {
      await rogue.send(kubeOrigin, 'GET', path);
      await world.time.runUntil(world.time.nowMs + 5000);
    }
    expect(reports).toEqual(expected);
  });
});
