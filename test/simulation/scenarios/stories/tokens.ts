// A connection that logs in for its tokens, by a secret or as a ServiceAccount, and a service that ends them.
import { callerOf } from '../../alerts/callers.ts';
import { serviceOrigin } from '../../world.ts';
import { credentialName } from '../generators.ts';
import { active, minuteMs, one, type Scene, secondMs, type Story, team } from './scene.ts';
import { tokenFor } from './script.ts';

function logIn(scene: Scene): void {
  const clientID = callerOf('client', team, 'prod');
  const clientSecretRef = { name: credentialName('prod'), key: 'value' };
  scene.world.service.clients.set(clientID, tokenFor(team));
  scene.connect(team, {
    auth: { clientCredentials: { tokenURL: `${serviceOrigin}/token`, clientID, clientSecretRef } },
  });
}

const account = 'alerts';
const audience = 'api://alerts';
const clientID = callerOf('client', team, 'prod');

function putAccount({ world: { api } }: Scene, annotated?: string): void {
  const annotations = annotated === undefined ? {} : { 'rolealerts.dev/federated-audience': annotated };
  const sent = { metadata: { name: account, annotations } };
  const accounts = api.resource('serviceaccounts');
  if (api.store.get('serviceaccounts', `${team}/${account}`)) api.writes.replace(accounts, team, account, sent);
  else api.writes.create(accounts, team, sent);
}

function actAsAccount(scene: Scene): void {
  const { service } = scene.world;
  service.accounts.trusts.set(clientID, { account: `${team}/${account}`, audience });
  const federated = { tokenURL: `${serviceOrigin}/token`, clientID, serviceAccountName: account, audience };
  scene.connect(team, { auth: { federated } });
  putAccount(scene, audience);
}

/** Until a request that the operator had begun has ended, and a reading of a minute ago is renewed. */
const useEndsMs = 95 * secondMs;

export const accounts: Readonly<Record<string, Story>> = {
  'a ServiceAccount whose consent comes and goes': async (scene) => {
    const { world } = scene;
    scene.addScope(one, { Alpha: true });
    actAsAccount(scene);
    scene.declare('watch', [active('Alpha')]);
    await scene.start();
    await scene.eventually(
      'a ServiceAccount is a credential',
      minuteMs,
      () => scene.sent('Alpha', true) > 0 || isReady(scene),
    );
    for (let round = 0; round < 3; round++) {
      await scene.wait(scene.between(1, 90) * secondMs);
      const change = scene.pick('deleted', 'unannotated', 'for another audience', 'created again');
      world.note(`--- the ServiceAccount is ${change}`);
      if (change === 'deleted' || change === 'created again') scene.remove('serviceaccounts', account);
      if (change === 'created again') putAccount(scene, audience);
      if (change === 'unannotated') putAccount(scene);
      if (change === 'for another audience') putAccount(scene, 'api://other');
      await scene.wait(useEndsMs + scene.between(0, 60) * secondMs);
      const fromMs = world.time.nowMs;
      scene.turn('Alpha', false);
      await scene.wait(2 * minuteMs);
      const isUsed = scene.sent('Alpha', true, fromMs) > 0;
      scene.promise(`an account ${change} is used: ${isUsed}`, isUsed === (change === 'created again'));
      putAccount(scene, audience);
      await scene.eventually('consent that is back is used', minuteMs, () => scene.isActive('Alpha'));
    }
  },
};

function isReady(scene: Scene): boolean {
  const connection = scene.world.api.store.get('rolealertconnections', `${team}/prod`);
  const conditions = ((connection?.status ?? {})['conditions'] ?? []) as readonly { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

export const tokens: Readonly<Record<string, Story>> = {
  'tokens that end before their time': async (scene) => {
    scene.addScope(one, { Alpha: true });
    logIn(scene);
    scene.declare('watch', [active('Alpha')]);
    await scene.start();
    for (let round = 0; round < 3; round++) {
      await scene.wait(scene.between(20, 200) * secondMs);
      scene.world.service.expireTokens();
      scene.turn('Alpha', false);
      await scene.eventually('a token that is refused is replaced', minuteMs, () => scene.isActive('Alpha'));
    }
  },
};
