// A PATCH whose first token is refused with 401, and which is not sent a second time: nothing was changed by it.
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import type { AlertClient } from '../../../../src/operator/alert-client/alert-client.ts';
import { ControllerError } from '../../../../src/operator/controller-error.ts';
import { connectClient } from '../../../support/rigs/alert-client-rig.ts';
import { FakeAttempt } from '../../../support/rigs/fake-attempt.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';
import { AnsweringDispatcher } from '../../../support/servers/answering-dispatcher.ts';

/** A client whose service refuses the first token. `readAgain` is how its Secret is read after that. */
function clientOf(clock: ManualClock, patchAnswers: number[], readAgain: () => SecretText): AlertClient {
  let reads = 0;
  return connectClient('https://a.example', 'first', {
    readCredential: async () => (++reads === 1 ? new SecretText('first') : readAgain()),
    clock,
    openDispatcher: () => new AnsweringDispatcher(() => ({ status: patchAnswers.shift() ?? 500 })),
  });
}

/** Deactivates one alert. `isPlanned` is asked before each send. */
async function deactivate(client: AlertClient, isPlanned: () => boolean) {
  const rig = new FakeAttempt(client);
  rig.onStep = (what) => {
    if (what === 'checkRecorded A' && !isPlanned()) throw new ControllerError('plan-outdated', 'as the test wants it');
  };
  const action = {
    alert: 'A',
    isActive: false,
    cause: 'DismissalHolds',
    policyKey: 'team/off',
    actor: 'User',
  } as const;
  const ended = await rig.apply(action);
  await client.stop();
  return { ...ended, isUndone: rig.calls.includes('undo A') };
}

const another = () => new SecretText('second');

test('its entry stays without another credential for a retry', async () => {
  const client = clientOf(new ManualClock(), [401], () => {
    throw new AlertsError('credential-missing', 'as the test wants it');
  });
  const ended = await deactivate(client, () => true);
  expect(ended).toEqual({ count: 0, isWhole: false, error: 'credential-missing', isUndone: false });
});

test('its entry stays when no policy declares it any more before the retry', async () => {
  let asked = 0;
  const ended = await deactivate(clientOf(new ManualClock(), [401], another), () => ++asked === 1);
  expect(ended).toEqual({ count: 0, isWhole: true, error: undefined, isUndone: false });
});

test('its entry stays when the retry is sent and has no usable response', async () => {
  const ended = await deactivate(clientOf(new ManualClock(), [401, 500], another), () => true);
  expect(ended).toMatchObject({ count: 1, isUndone: false });
});
