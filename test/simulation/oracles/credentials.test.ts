// The reports of the oracle of credentials: which readings of a Secret prove to a process that a credential has ended.
import { expect, it } from 'vitest';

import type { Fate } from '../engine/types.ts';
import { addScope, createFixture } from '../fixture.ts';
import { readResources } from '../kube/resources.ts';
import { kubeOrigin } from '../replica.ts';
import { rogueIn } from '../rogue.ts';
import { credentialOracle } from './credentials.ts';

const resources = await readResources();
const secretPath = '/api/v1/namespaces/team/secrets/credential';
const found = [expect.stringContaining('with what team/credential held 120 s ago')];

it.each<[string, Fate, unknown[]]>([
  ['that is missing is reported', { kind: 'deliver' }, found],
  ['that a response says is missing is reported', { kind: 'replace', answer: { status: 404, body: '{}' } }, found],
  ['of which a proxy sends its own page is not', { kind: 'replace', answer: { status: 200, body: '<html>' } }, []],
  ['that is not sent is not', { kind: 'instead', answer: { status: 200, body: '' } }, []],
  ['that cannot be read is not', { kind: 'replace', answer: { status: 503, body: '{}' } }, []],
])('the use of a credential after a reading of a Secret %s', async (_how, fate, expected) => {
  const fateOf = ({ path }: { path: string }): Fate => (path === secretPath ? fate : { kind: 'deliver' });
  const world = createFixture(resources, { seed: 1, fateOf });
  const reports: string[] = [];
  credentialOracle.watch(world, (what) => reports.push(what));
  addScope(world, 'subscriptions/one', { A: true });
  world.api.writes.delete(world.api.resource('secrets'), 'team', 'credential');
  await world.time.runUntil(119_900);
  const rogue = rogueIn(world);
  await rogue.send(kubeOrigin, 'GET', secretPath);
  await rogue.list();
  expect(reports).toEqual(expected);
});
