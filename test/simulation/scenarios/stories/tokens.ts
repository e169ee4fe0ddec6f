// A connection that logs in for its tokens, and a service that ends them.
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
