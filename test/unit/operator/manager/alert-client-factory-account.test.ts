// A connection that acts as a ServiceAccount: when it requests an assertion, and what ends the use of its tokens.
import { describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { accountAuth, ClientFactoryRig, secretGone } from '../../../support/rigs/alert-client-factory-rig.ts';

const minuteMs = 60_000;
const consentWithdrawn = new AlertsError('credential-not-allowed', 'The annotation is gone.');

function rigOf(accessSeconds = 3600) {
  const rig = new ClientFactoryRig({ auth: accountAuth });
  rig.accessSeconds = accessSeconds;
  return rig;
}

test('sends an assertion of the ServiceAccount to the token endpoint, and the access token to the service', async () => {
  const rig = rigOf();
  expect(await rig.list()).toBe('listed');
  expect(rig.sent).toEqual(['TOKEN assertion-1', 'GET for-assertion-1']);
});

describe('an assertion', () => {
  test('is requested for each access token', async () => {
    const rig = rigOf(60);
    await rig.list();
    expect(await rig.after(minuteMs, () => rig.list())).toBe('listed');
    expect(rig.sent.slice(-2)).toEqual(['TOKEN assertion-2', 'GET for-assertion-2']);
  });

  test('that the API server does not issue ends nothing while the access token lasts', async () => {
    const rig = rigOf();
    await rig.list();
    rig.assertionFailure = new AlertsError('token-endpoint-failed', 'no', { reason: 'TokenRequestFailed' });
    expect(await rig.after(50 * minuteMs, () => rig.list())).toBe('listed');
    expect(await rig.after(8 * minuteMs, () => rig.list())).toBe('token-endpoint-failed');
    rig.assertionFailure = undefined;
    expect(await rig.after(30_000, () => rig.list())).toBe('listed');
  });
});

describe('a ServiceAccount', () => {
  test.each([
    ['that withdraws its consent', consentWithdrawn],
    ['that is deleted', secretGone],
  ])('%s ends the use of its tokens within a minute', async (_, end) => {
    const rig = rigOf();
    await rig.list();
    rig.secret = end;
    expect(await rig.after(minuteMs - 1, () => rig.list())).toBe('listed');
    const sent = rig.sent.length;
    expect(await rig.after(1, () => rig.list())).toBe(end.code);
    expect(rig.sent).toHaveLength(sent);
  });
});
