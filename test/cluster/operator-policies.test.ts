// Policies in daily use: modes, claims, reconcile requests, edits, sizes, kubectl; and no unnecessary writes.
import { expect, test } from 'vitest';

import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { tomorrow } from '../support/builders/tomorrow.ts';
import { incident } from '../support/checks/canaries.ts';
import { startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/Policies-1';
const alert = 'TooManyOwnersAssignedToResource';
const scopes = { [scope]: [{ name: alert, properties: { isActive: false, alertIncidents: [incident('6f1c')] } }] };
const active = { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] };

describeWithControlPlane('policies', (controlPlane) => {
  test.concurrent('Observe reports drift and sends nothing; Enforce corrects it; a second drift is found at the interval', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', { ...active, mode: 'Observe' });
    await rig.policyIs('owners', 'InSync', 'False/ObserveOnly');
    await rig.policyIs('owners', 'Ready', 'True/Observed');
    expect(rig.proxy.count('patch')).toBe(0);
    await rig.editPolicy('owners', { mode: 'Enforce' });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(true);
    await rig.turn(scope, alert, false);
    await rig.flagBecomes(scope, alert, true);
    await eventually('the history has both', () =>
      rig.policy('owners').status.history?.[0]?.['count'] === 2 ? true : undefined,
    );
  });

  test.concurrent('a read-only operator sends nothing at all', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes, controller: { readOnly: true } });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Observed');
    expect(rig.policy('owners').status).toMatchObject({ effective: { mode: 'Observe', scope: scope.toLowerCase() } });
    expect(rig.proxy.count('patch')).toBe(0);
  });

  test.concurrent('a suspended policy reports that once and is not reconciled any more', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.editPolicy('owners', { suspend: true });
    await rig.policyIs('owners', 'Ready', 'True/Suspended');
    await rig.turn(scope, alert, false);
    const before = { requests: rig.proxy.requests.length, versions: rig.recorder.versions.length };
    await rig.createPolicy('neighbour', { ...active, scope: 'subscriptions/elsewhere' });
    await rig.policyIs('neighbour', 'Stalled', 'True/ScopeNotFound');
    const since = rig.proxy.requests.slice(before.requests).filter((request) => request.scope === scope);
    expect(since).toEqual([]);
    expect(rig.recorder.versions.slice(before.versions).filter(({ metadata }) => metadata.name === 'owners')).toEqual(
      [],
    );
    await rig.editPolicy('owners', { suspend: false });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(true);
  });

  test.concurrent('of two policies on one alert Active wins, and the other one names the owner', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    const dismissal = { reason: 'tracked in SEC-1', maxIncidents: 9, until: tomorrow() };
    await rig.createPolicy('off', {
      scope: scope.toUpperCase(),
      alerts: [{ name: alert.toUpperCase(), state: 'Inactive', dismissal }],
    });
    await rig.policyIs('off', 'Ready', 'True/Succeeded');
    await rig.createPolicy('on', active);
    await rig.policyIs('on', 'Ready', 'True/Succeeded');
    await rig.policyIs('off', 'Stalled', 'True/ScopeConflict');
    expect(await rig.flag(scope, alert)).toBe(true);
    const event = `ScopeConflict off: Policy ${rig.namespace}/on owns alert ${alert} and wants the opposite. Change one of the two policies.`;
    await eventually('the event', async () => ((await rig.events()).includes(event) ? true : undefined));
    await rig.deletePolicy('on');
    await rig.policyIs('off', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
  });

  test.concurrent('unlisted alerts are guarded from their severity on; an unknown one counts as the highest', async ({
    onTestFinished,
  }) => {
    const severities = ['Low', 'Medium', 'High', 'Whatever'];
    const alerts = severities.map((severityLevel) => ({
      name: `Alert${severityLevel}`,
      properties: { isActive: false, alertDefinition: { properties: { severityLevel } } },
    }));
    const rig = await startRig(controlPlane, { onTestFinished, scopes: { [scope]: alerts } });
    await rig.createConnection();
    await rig.createPolicy('guard', { scope, unlisted: { state: 'Active', minSeverity: 'High' } });
    await rig.policyIs('guard', 'Ready', 'True/Succeeded');
    const flags = await Promise.all(severities.map((severity) => rig.flag(scope, `Alert${severity}`)));
    expect(flags).toEqual([false, false, true, true]);
  });

  test.concurrent('a declared alert that is not listed is missing, and never PATCHed', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', { scope, interval: '5s', alerts: [{ name: 'NotThere', state: 'Active' }] });
    await rig.policyIs('owners', 'Ready', 'False/AlertNotFound');
    expect(rig.proxy.count('patch')).toBe(0);
    await rig.service.alerts.putAlert(scope, { name: 'NotThere' });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, 'NotThere')).toBe(true);
  });

  test.concurrent('a wiped status is written again, the ledger too', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, {
      onTestFinished,
      scopes: { [scope]: [{ name: alert, properties: { isActive: true } }] },
    });
    await rig.createConnection();
    const dismissal = { reason: 'tracked in SEC-1', maxIncidents: 9, until: tomorrow() };
    await rig.createPolicy('off', { scope, alerts: [{ name: alert, state: 'Inactive', dismissal }] });
    await rig.policyIs('off', 'Ready', 'True/Succeeded');
    for (const path of ['rolealertpolicies/off', 'rolealertconnections/prod']) {
      const { body } = await rig.send('GET', path);
      await rig.send('PUT', `${path}/status`, { ...body, status: { observedGeneration: -1 } });
    }
    await rig.policyIs('off', 'Ready', 'True/Succeeded');
    await rig.connectionIs('prod', 'True/Connected');
    await eventually('the ledger', () => (rig.connection('prod').status.dismissals?.length === 1 ? true : undefined));
  });

  test.concurrent('a policy that is deleted and re-created under its name is a new one', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.deletePolicy('owners');
    await rig.turn(scope, alert, false);
    await rig.createPolicy('owners', active);
    const uids = () =>
      new Set(
        rig.recorder.versions.filter(({ kind }) => kind === 'RoleAlertPolicy').map(({ metadata }) => metadata.uid),
      );
    await eventually('the new object', () => (uids().size === 2 ? true : undefined));
    await rig.flagBecomes(scope, alert, true);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
  });

  test.concurrent('two alerts with 10,000 incidents each give exact totals in a status below 64 KiB', async ({
    onTestFinished,
  }) => {
    const many = Array.from({ length: 10_000 }, (_, index) => incident(`incident-${index}`, 'x'.repeat(100)));
    const names = [alert, 'TooManyPermanentOwnersAssignedToResource'];
    const big = names.map((name) => ({ name, properties: { isActive: true, alertIncidents: many } }));
    const rig = await startRig(controlPlane, { onTestFinished, scopes: { [scope]: big } });
    await rig.createConnection();
    await rig.createPolicy('owners', {
      scope,
      incidents: { limit: 50 },
      alerts: names.map((name) => ({ name, state: 'Active' })),
    });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const { status } = rig.policy('owners');
    expect(JSON.stringify(status).length).toBeLessThan(65_536);
    expect(status).toMatchObject({
      summary: { incidents: 20_000 },
      alerts: [{ incidents: { total: 10_000, truncated: true } }, { incidents: { total: 10_000 } }],
    });
  });

  test.concurrent('the operator does all of it with the rights of deploy/base, and kubectl sees it', async ({
    onTestFinished,
  }) => {
    const kubeconfig = await controlPlane.serviceAccountKubeconfig('rolealerts-system', 'rolealerts');
    const rig = await startRig(controlPlane, { onTestFinished, scopes, controller: { kubeconfig } });
    await rig.createConnection({
      spec: {
        auth: {
          clientCredentials: {
            tokenURL: `${rig.proxy.url}/common/oauth2/token`,
            clientID: 'operator',
            clientSecretRef: { name: 'credentials', key: 'clientSecret' },
          },
        },
      },
    });
    await rig.createPolicy('owners', active);
    const inNamespace = ['-n', rig.namespace];
    await controlPlane.kubectl([...inNamespace, 'wait', '--for=condition=Ready', 'rap/owners', '--timeout=5m']);
    const table = await controlPlane.kubectl([...inNamespace, 'get', 'rap', '--field-selector', `spec.scope=${scope}`]);
    expect(table).toMatch(
      /NAME +READY +REASON +MODE +IN-SYNC +INCIDENTS +HIGH +AGE\nowners +True +Succeeded +Enforce +1\/1 +1 +1 /,
    );
    expect(await controlPlane.kubectl([...inNamespace, 'get', 'rap', '--field-selector', 'spec.scope=other'])).toBe('');
    await eventually('the event', async () =>
      (await rig.events()).find((line) => line.startsWith('DriftCorrected owners')),
    );
    expect(rig.lines.filter((line) => line.includes('forbidden'))).toEqual([]);
  });

  test.concurrent('probes and metrics answer', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    const { probesURL } = rig.manager;
    for (const path of ['/livez', '/readyz']) expect((await fetch(`${probesURL}${path}`)).status).toBe(200);
    expect(await rig.metric('rolealerts_corrections_total')).toBe(1);
    await eventually('its incidents', async () =>
      (await rig.metric('rolealerts_policy_incidents')) === 1 ? true : undefined,
    );
    await rig.deletePolicy('owners');
    await eventually('the series of the policy to go', async () =>
      (await rig.metricsText()).includes('name="owners"') ? undefined : true,
    );
  });

  test.concurrent('a scrape shows objects, conditions and incidents as the statuses do', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.createPolicy('owners', active);
    await rig.createPolicy('lost', { ...active, connectionRef: { name: 'nowhere' } });
    await rig.policyIs('owners', 'Ready', 'True/Succeeded');
    await rig.policyIs('lost', 'Ready', 'False/ConnectionNotFound');
    await rig.connectionIs('prod', 'True/Connected');
    const owners = `namespace="${rig.namespace}",name="owners"`;
    const lost = `namespace="${rig.namespace}",name="lost"`;
    const expected = [
      `rolealerts_policy_condition{${owners},type="Ready",status="True",reason="Succeeded"} 1`,
      `rolealerts_policy_condition{${lost},type="Ready",status="False",reason="ConnectionNotFound"} 1`,
      `rolealerts_connection_condition{namespace="${rig.namespace}",name="prod",type="Ready",status="True",reason="Connected"} 1`,
      `rolealerts_incidents{${owners},alert="${alert}",severity="Unknown"} 1`,
      `rolealerts_policy_suspended{${owners}} 0`,
      `rolealerts_policy_dismissed_alerts{${owners}} 0`,
      `rolealerts_policy_drifted_alerts{${owners}} 0`,
    ];
    // The watch delivers the statuses that the operator wrote.
    await eventually('the series', async () => {
      const lines = new Set((await rig.metricsText()).split('\n'));
      return expected.every((line) => lines.has(line)) ? true : undefined;
    });
    expect(await rig.metricsText()).not.toMatch(new RegExp(`^rolealerts_policy_drifted_alerts\\{${lost}`, 'm'));
    expect(await rig.metric(`rolealerts_build_info{version="${readBuildFacts().version}"`)).toBe(1);
  });
});
