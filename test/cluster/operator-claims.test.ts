// The owner of an alert when several policies of a connection claim it, and what policies of several connections do to each other.
import { expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { canaryClientSecret, canaryToken } from '../support/checks/canaries.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { startOverSocket } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/claims-1';
const alert = 'TooManyOwnersAssignedToResource';
const seeded = (isActive: boolean) => ({ [scope]: [{ name: alert, properties: { isActive } }] });
const active = { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] };
const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 9, until: tomorrow() };
const inactive = { scope, interval: '5s', alerts: [{ name: alert, state: 'Inactive', dismissal }] };
const through = (name: string, spec: object) => ({ ...spec, connectionRef: { name } });

describeWithControlPlane('claims', (controlPlane) => {
  /** A second way to the same service, its URL spelled otherwise. */
  const createSecondConnection = (rig: OperatorRig, spec: object = {}) =>
    rig.createConnection({ name: 'second', spec: { endpoint: { baseURL: `${rig.proxy.url}/` }, ...spec } });

  test('of two that want the same the older one corrects and reports it; both are Ready', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(false), isStarted: false });
    await rig.createConnection();
    await rig.createPolicy('zebra', active);
    await rig.createPolicy('ant', active);
    await rig.startOperator();
    await rig.policyIs('zebra', 'Ready', 'True/Succeeded');
    await rig.policyIs('ant', 'Ready', 'True/Succeeded');
    expect(rig.proxy.count('patch')).toBe(1);
    const age = (name: string) => `${rig.policy(name).metadata.creationTimestamp} ${name}`;
    const [older, younger] = age('zebra') < age('ant') ? ['zebra', 'ant'] : ['ant', 'zebra'];
    expect(rig.policy(older).status.history).toHaveLength(1);
    expect(rig.policy(younger).status.history).toBeUndefined();
  });

  test('an explicit dismissal beats a guard over unlisted alerts, which reports the conflict', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(true) });
    await rig.createConnection();
    await rig.createPolicy('guard', { scope, unlisted: { state: 'Active' } });
    await rig.policyIs('guard', 'Ready', 'True/Succeeded');
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    await rig.policyIs('guard', 'Stalled', 'True/ScopeConflict');
    expect(await rig.flag(scope, alert)).toBe(false);
    await rig.deletePolicy('quiet');
    await rig.flagBecomes(scope, alert, true);
    await rig.policyIs('guard', 'Ready', 'True/Succeeded');
  });

  test('a dismissal that is not granted has no claim: the other policy is not disturbed', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(false) });
    await rig.createConnection({ spec: { deactivation: 'Deny' } });
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Stalled', 'True/DeactivationDenied');
    await rig.createPolicy('guard', { scope, unlisted: { state: 'Active' } });
    await rig.policyIs('guard', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(true);
  });

  test('a policy that only observes or is suspended has no claim', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(true) });
    await rig.createConnection();
    await rig.createPolicy('watcher', { ...active, mode: 'Observe' });
    await rig.createPolicy('sleeper', { ...active, suspend: true });
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    await rig.policyIs('watcher', 'InSync', 'False/ObserveOnly');
    await rig.editPolicy('sleeper', { suspend: false });
    await rig.policyIs('quiet', 'Stalled', 'True/ScopeConflict');
    await rig.flagBecomes(scope, alert, true);
  });

  test('of opposite declarations of two connections Active prevails, and the other policy shows Flapping', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(true) });
    await rig.createConnection();
    await createSecondConnection(rig);
    await rig.createPolicy('quiet', { ...inactive, damping: { maxDeactivations: 2, window: '1h' } });
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    await rig.createPolicy('loud', through('second', active));
    await rig.policyIs('quiet', 'Stalled', 'True/Flapping');
    await rig.policyIs('loud', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(true);
    expect(rig.policy('quiet').status.alerts).toMatchObject([{ name: alert, want: 'Inactive', result: 'Held' }]);
  });

  test('a client that may only list overrules nothing of another connection', async () => {
    const rig = await startRig(controlPlane, {
      scopes: seeded(true),
      service: { clients: [{ id: 'reader', secret: new SecretText(canaryClientSecret), scopes: ['alerts.read'] }] },
    });
    const clientSecretRef = { name: 'credentials', key: 'clientSecret' };
    const tokenURL = `${rig.proxy.url}/common/oauth2/token`;
    const auth = { clientCredentials: { tokenURL, clientID: 'reader', clientSecretRef, scopes: ['alerts.read'] } };
    await rig.createConnection();
    await createSecondConnection(rig, { auth });
    await rig.createPolicy('quiet', inactive);
    await rig.flagBecomes(scope, alert, false);
    await rig.createPolicy('theirs', through('second', inactive));
    await rig.policyIs('theirs', 'Ready', 'True/Succeeded');
    await rig.editConnection('prod', { deactivation: 'Deny' });
    await rig.flagBecomes(scope, alert, true);
    await rig.deletePolicy('quiet');
    await rig.reconcileNow('theirs');
    await rig.policyIs('theirs', 'Ready', 'False/CorrectionFailed');
    expect(await rig.flag(scope, alert)).toBe(true);
  });

  test('a dismissal ends with its policy, and another connection that declares it deactivates the alert itself', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(true) });
    await rig.createConnection();
    await createSecondConnection(rig);
    await rig.createPolicy('quiet', inactive);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    await rig.createPolicy('quiet-too', through('second', inactive));
    await rig.policyIs('quiet-too', 'Ready', 'True/Succeeded');
    expect(rig.proxy.count('patch')).toBe(1);
    await rig.deletePolicy('quiet');
    await eventually('the activation and the next deactivation', () =>
      rig.proxy.count('patch') >= 3 ? true : undefined,
    );
    await rig.flagBecomes(scope, alert, false);
    await rig.deletePolicy('quiet-too');
    await rig.flagBecomes(scope, alert, true);
  });

  test('a connection with a new endpoint checks and corrects the alerts of that service', async () => {
    const rig = await startRig(controlPlane, { scopes: seeded(true) });
    const seed = { scopes: { [scope]: { value: [{ name: alert, properties: { isActive: false } }] } } };
    const elsewhere = await startOverSocket({ seed, staticToken: new SecretText(canaryToken) });
    try {
      await rig.createConnection();
      await rig.createPolicy('owners', active);
      await rig.policyIs('owners', 'Ready', 'True/Succeeded');
      const requests = rig.proxy.requests.length;
      await rig.editConnection('prod', { endpoint: { baseURL: elsewhere.origin } });
      await eventually('the correction there', async () => {
        const found = (await elsewhere.alerts.readAlert(scope, alert)) as { properties: { isActive: boolean } };
        return found.properties.isActive ? true : undefined;
      });
      await eventually('its proof', () => rig.policy('owners').status.history?.[0]);
      expect(rig.proxy.requests.length).toBe(requests);
    } finally {
      await rig.stopOperator();
      await elsewhere.stop();
    }
  });
});
