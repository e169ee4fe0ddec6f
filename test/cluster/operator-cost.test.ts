// The cost of a reconcile, counted on both sides: requests to the service in the proxy, writes to the API server by the versions
// that the test's own watch received.
import { expect, test } from 'vitest';

import { startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scopes = Array.from({ length: 5 }, (_, index) => `subscriptions/scope-${index}`);
const names = Array.from({ length: 6 }, (_, index) => `Alert${index}`);
const policyName = (scope: number, alert: number) => `policy-${scope}-${alert}`;
const incident = { name: 'incident', properties: { alertIncidentType: 'AlertIncident' } };
const properties = { isActive: false, alertIncidents: [incident] };
const seed = Object.fromEntries(scopes.map((scope) => [scope, names.map((name) => ({ name, properties }))]));

describeWithControlPlane('the cost of reconciling', (controlPlane) => {
  test('30 drifted policies on 5 scopes take one list a scope, one PATCH an alert, one verifying list a scope and one status write a policy; then only lists, although incidents stay', async () => {
    const rig = await startRig(controlPlane, { scopes: seed, service: { pageSize: 4 }, isStarted: false });
    const { proxy, recorder } = rig;
    await rig.createConnection();
    for (const [index, scope] of scopes.entries()) {
      for (const [alert, name] of names.entries()) {
        const alerts = [{ name, state: 'Active' }];
        await rig.createPolicy(policyName(index, alert), { scope, interval: '5s', alerts });
      }
    }
    let firstListsBeforePatches = 0;
    proxy.intercept = ({ kind, scope }) => {
      const isFirst = kind === 'patch' && proxy.count('patch', scope) === 1;
      if (isFirst) firstListsBeforePatches += proxy.lists(scope).length;
      return undefined;
    };
    const policyVersions = () => recorder.versions.filter(({ kind }) => kind === 'RoleAlertPolicy').length;
    await eventually('all policies created', () => (policyVersions() === 30 ? true : undefined));

    await rig.startOperator();
    for (const [index] of scopes.entries()) {
      for (const [alert] of names.entries()) await rig.policyIs(policyName(index, alert), 'Ready', 'True/Succeeded');
    }
    await rig.connectionIs('prod', 'True/Connected');
    expect(firstListsBeforePatches).toBe(5);
    // A list of 6 alerts on pages of 4 is two requests. A busy machine may have begun the next round.
    const round = ['list', 'page', ...names.map(() => 'patch'), 'list', 'page'];
    const begun = scopes.map((scope) => proxy.requests.filter((each) => each.scope === scope).slice(0, round.length));
    expect(begun.map((requests) => requests.map(({ kind }) => kind))).toEqual(scopes.map(() => round));
    expect(proxy.count('patch')).toBe(30);
    expect(policyVersions()).toBe(60);
    await expect.poll(() => rig.metric('rolealerts_status_writes_total{kind="policy"}')).toBe(30);
    expect(rig.policy(policyName(0, 0)).status).toMatchObject({
      alerts: expect.arrayContaining([expect.objectContaining({ name: 'Alert0', verifiedAt: expect.any(String) })]),
      history: [{ alert: 'Alert0', direction: 'Activated', reason: 'Drift', count: 1 }],
    });
    const eventually30 = () => rig.events().then((events) => (events.length >= 30 ? events : undefined));
    const recorded = await eventually('an event for every correction', eventually30);
    expect(recorded.filter((event) => event.startsWith('DriftCorrected policy-'))).toHaveLength(30);
    expect(recorded.filter((event) => event.startsWith('IncidentsFound policy-'))).toEqual([]);

    // The status of the connection follows a second after an edit, and shows that a list takes two requests.
    await rig.reconcileNow(policyName(0, 0));
    await eventually('the requests per hour', () =>
      rig.connection('prod').status['predictedRequestsPerHour'] === 10 * 720 ? true : undefined,
    );
    const versions = recorder.versions.length;
    const events = (await rig.events()).length;
    const writes = await rig.metric('rolealerts_status_writes_total');
    proxy.requests.length = 0;
    await eventually('two more lists of every scope', () =>
      scopes.every((scope) => proxy.count('list', scope) >= 2) ? true : undefined,
    );
    expect(proxy.requests.filter(({ kind }) => kind !== 'list' && kind !== 'page')).toEqual([]);
    expect(recorder.versions.slice(versions)).toEqual([]);
    expect((await rig.events()).length).toBe(events);
    expect(await rig.metric('rolealerts_status_writes_total')).toBe(writes);
  });
});
