// The operator recovers by itself from an outage: of the API server, the service, a token.
import { expect, test } from 'vitest';

import { startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually, startOwnControlPlane } from '../support/servers/control-plane.ts';
import { installOperator } from '../support/servers/test-control-plane.ts';

const scope = 'subscriptions/recovery-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: false } }] };
const active = { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('recovery', (controlPlane) => {
  test.concurrent('the service stops and starts again', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.stopService();
    rig.proxy.intercept = (_, response) => {
      response.destroy();
      return true;
    };
    await rig.policyIs('owners', 'Ready', 'False/ServiceUnreachable');
    await rig.connectionIs('prod', 'False/Unreachable');
    expect((await fetch(`${rig.manager.probesURL}/readyz`)).status).toBe(200);
    await rig.startService();
    rig.proxy.intercept = () => undefined;
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.connectionIs('prod', 'True/Connected');
    expect(await rig.flag(scope, alert)).toBe(true);
  });

  test.concurrent('a token that expires in between is replaced without an error', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    const tokenURL = `${rig.proxy.url}/common/oauth2/token`;
    const clientSecretRef = { name: 'credentials', key: 'clientSecret' };
    await rig.createConnection({
      spec: { auth: { clientCredentials: { tokenURL, clientID: 'operator', clientSecretRef } } },
    });
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.connectionIs('prod', 'True/Connected');
    const old = rig.proxy.requests.find(({ kind }) => kind === 'list')?.authorization;
    rig.proxy.intercept = ({ kind, authorization }, response) => {
      if (kind === 'token' || authorization !== old) return undefined;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"code":"Expired","message":""}}');
      return true;
    };
    const versions = rig.recorder.versions.length;
    const lists = rig.proxy.lists(scope).length;
    await eventually('a list with a new token', () => (rig.proxy.lists(scope).length > lists ? true : undefined));
    expect(rig.proxy.count('token')).toBe(2);
    expect(rig.recorder.versions.slice(versions)).toEqual([]);
  });

  test.concurrent('the API server stops and starts again, and nothing is missed', async ({ onTestFinished }) => {
    const own = await startOwnControlPlane();
    // Before the rig, so that it ends after it.
    onTestFinished(() => own.stop());
    await installOperator(own);
    const rig = await startRig(own, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await own.stopApiServer();
    // Reconciling continues without the API server: the policies are in memory.
    await rig.turn(scope, alert, false);
    await rig.flagBecomes(scope, alert, true);
    await own.startApiServer();
    await eventually('the correction in the history', () =>
      rig.policy('owners').status.history?.[0]?.['count'] === 2 ? true : undefined,
    );
    await eventually('an edit through', async () =>
      (await rig.editPolicy('owners', { interval: '6s' }).catch(() => false)) === undefined ? true : undefined,
    );
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });
});
