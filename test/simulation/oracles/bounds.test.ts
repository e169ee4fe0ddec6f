// The claims of other connections that forbid a deactivation.
import { describe, expect, it } from 'vitest';

import { callerOf } from '../alerts/callers.ts';
import { addScope, createFixture, createPolicy } from '../fixture.ts';
import { createNamespace } from '../kube/namespaces.ts';
import { readResources } from '../kube/resources.ts';
import { kubeOrigin } from '../replica.ts';
import { type Rogue, rogueIn } from '../rogue.ts';
import { serviceOrigin, type World } from '../world.ts';
import { boundsOracle } from './bounds.ts';

const resources = await readResources();
const scope = 'subscriptions/one';

/** A neighbour that has proven itself a while ago claims an alert Active, which the process deactivates for the team. */
const vetoes: readonly (readonly [string, (rogue: Rogue, world: World) => Promise<void>, string])[] = [
  ['reports one that lasts', async () => undefined, 'guest/guard claims it Active'],
  [
    'reports one whose Secret was read and is whole',
    (rogue) => rogue.send(kubeOrigin, 'GET', guestSecretPath),
    'guest/guard claims it Active',
  ],
  [
    'lets one go whose Secret was read without its label',
    async (rogue, world) => {
      putGuestSecret(world, {});
      await rogue.send(kubeOrigin, 'GET', guestSecretPath);
    },
    '',
  ],
  [
    'lets one go whose connection was deleted',
    async (_rogue, { api }) => {
      api.writes.delete(api.resource('rolealertconnections'), 'guest', 'prod');
    },
    '',
  ],
];

const guestToken = 'guest-token';
const guestSecretPath = '/api/v1/namespaces/guest/secrets/credential';

function putGuestSecret({ api }: World, labels: Readonly<Record<string, string>>): void {
  const secrets = api.resource('secrets');
  const sent = { metadata: { name: 'credential', labels }, data: { token: btoa(guestToken) } };
  if (api.store.get('secrets', 'guest/credential')) api.writes.replace(secrets, 'guest', 'credential', sent);
  else api.writes.create(secrets, 'guest', sent);
}

function addGuard(world: World): void {
  const { api, service } = world;
  createNamespace(api, 'guest');
  service.staticTokens.set(guestToken, callerOf('token', 'guest', 'prod'));
  putGuestSecret(world, { 'rolealerts.dev/credential': 'true' });
  const auth = { tokenSecretRef: { name: 'credential', key: 'token' } };
  api.writes.create(api.resource('rolealertconnections'), 'guest', {
    metadata: { name: 'prod' },
    spec: { endpoint: { baseURL: serviceOrigin }, auth },
  });
  api.writes.create(api.resource('rolealertpolicies'), 'guest', {
    metadata: { name: 'guard' },
    spec: { connectionRef: { name: 'prod' }, scope, unlisted: { state: 'Active', minSeverity: 'Low' } },
  });
}

describe('the oracle of bounds, about the claim of a neighbour,', () => {
  it.each(vetoes)('%s', async (_sentence, act, expected) => {
    const world = createFixture(resources, { seed: 1 });
    const reports: string[] = [];
    boundsOracle.watch(world, (what) => reports.push(what));
    addScope(world, scope, { A: true });
    const dismissal = { reason: 'tracked in SEC-1182', until: '2026-01-01T09:00:00Z' };
    createPolicy(world, 'owners', { scope, alerts: [{ name: 'A', state: 'Inactive', dismissal }] });
    addGuard(world);
    const rogue = rogueIn(world);
    await rogue.send(kubeOrigin, 'GET', '/apis/rolealerts.dev/v1alpha1/namespaces/guest/rolealertpolicies/guard');
    await rogue.list(guestToken);
    await world.time.runUntil(5000);
    await act(rogue, world);
    await rogue.list();
    await rogue.turn('A', false);
    expect(reports.join('\n')).toMatch(expected === '' ? /^$/ : expected);
  });
});
