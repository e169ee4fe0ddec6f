// The operator on a real API server: what kubectl shows of its work, and what a reconcile costs in requests and writes.
// The tiers unit and simulation have its decisions.
import { expect, test, type TestContext } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { incident, modifiedByPerson } from '../support/checks/canaries.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/Operator-1';
const alert = 'TooManyOwnersAssignedToResource';
const seeded = (isActive: boolean) => {
  const properties = { isActive, alertIncidents: [incident('6f1c')] };
  return { [scope]: [{ name: alert, systemData: modifiedByPerson, properties }] };
};
const active = { scope, interval: '5s', alerts: [{ name: alert, state: 'Active' }] };
const reason = 'tracked in SEC-1182';
const inactive = (bound: object) => ({
  scope,
  interval: '5s',
  alerts: [{ name: alert, state: 'Inactive', dismissal: { reason, ...bound } }],
});

const manyScopes = Array.from({ length: 5 }, (_, index) => `subscriptions/scope-${index}`);
const names = Array.from({ length: 6 }, (_, index) => `Alert${index}`);
const policyName = (scope: number, alert: number) => `policy-${scope}-${alert}`;
const firing = { isActive: false, alertIncidents: [incident('6f1c')] };
const drifted = Object.fromEntries(
  manyScopes.map((scope) => [scope, names.map((name) => ({ name, properties: firing }))]),
);

describeWithControlPlane('the operator', (controlPlane) => {
  /** An operator whose ledger was stored before its PATCH arrived. */
  async function dismissed(
    onTestFinished: TestContext['onTestFinished'],
    until: string = tomorrow(),
  ): Promise<OperatorRig> {
    const rig = await startRig(controlPlane, { onTestFinished, scopes: seeded(true) });
    await rig.createConnection();
    let ledgerAtPatch: unknown;
    rig.proxy.intercept = async ({ kind, body }) => {
      if (kind !== 'patch' || !body.includes('false')) return undefined;
      const { body: connection } = await rig.send('GET', 'rolealertconnections/prod');
      ledgerAtPatch ??= (connection as { status?: { dismissals?: unknown } } | undefined)?.status?.dismissals;
      return undefined;
    };
    await rig.createPolicy('quiet', inactive({ maxIncidents: 5, until }));
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    const entry = { scope: scope.toLowerCase(), alert, policy: `${rig.namespace}/quiet`, since: expect.any(String) };
    expect(ledgerAtPatch).toEqual([{ ...entry, maxIncidents: 5, until, reason }]);
    return rig;
  }

  test.concurrent('asks no private address without --allow-private-endpoints', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, controller: { allowPrivateEndpoints: false } });
    await rig.createConnection();
    await rig.createPolicy('owners', { scope, alerts: [{ name: alert, state: 'Active' }] });
    await rig.connectionIs('prod', 'False/InvalidEndpoint');
  });

  test.concurrent('corrects with the rights of deploy/base alone, and kubectl shows it', async ({ onTestFinished }) => {
    const kubeconfig = await controlPlane.serviceAccountKubeconfig('rolealerts-system', 'rolealerts');
    const rig = await startRig(controlPlane, { onTestFinished, scopes: seeded(false), controller: { kubeconfig } });
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
    const events = await controlPlane.kubectl([...inNamespace, 'events', '--for', 'rolealertpolicy/owners']);
    expect(events).toMatch(/Normal +DriftCorrected +RoleAlertPolicy\/owners +Alert /);
    const described = await controlPlane.kubectl([...inNamespace, 'describe', 'rap', 'owners']);
    expect(described).toMatch(/DriftCorrected +\S+ +rolealerts/);
    expect(rig.lines.filter((line) => line.includes('forbidden'))).toEqual([]);
  });

  test.concurrent('an auditor reads from the connection alone what is inactive, why, who declares it and until when', async ({
    onTestFinished,
  }) => {
    const until = tomorrow();
    const rig = await dismissed(onTestFinished, until);
    const kubectl = (...args: string[]) => controlPlane.kubectl([...args, '--namespace', rig.namespace]);
    const row = new RegExp(`^prod +True +Connected +Allow +1 +1 +1 +${until} `);
    await eventually(row.source, async () =>
      row.test(await kubectl('get', 'rac', 'prod', '--no-headers')) ? true : undefined,
    );
    const yaml = await kubectl('get', 'rac', 'prod', '-o', 'yaml');
    const policy = `${rig.namespace}/quiet`;
    for (const fact of [alert, policy, reason, until, 'maxIncidents: 5', scope.toLowerCase()])
      expect(yaml).toContain(fact);
    const fields = ['scope', 'alert', 'policy', 'since', 'until', 'reason'];
    const template = fields.map((field) => `{.${field}}`).join('{"|"}');
    const register = () =>
      kubectl('get', 'rac', 'prod', '-o', `jsonpath={range .status.dismissals[*]}${template}{end}`);
    const [at, name, by, since = '', end, why] = (await register()).split('|');
    expect([at, name, by, end, why]).toEqual([scope.toLowerCase(), alert, policy, until, reason]);
    expect(Date.parse(since)).toBeLessThanOrEqual(Date.now());
    await rig.editPolicy('quiet', { alerts: inactive({ incidents: ['6f1c', '77aa'] }).alerts });
    const stored = await eventually('the bound that is declared now', async () => {
      const shown = await kubectl('get', 'rac', 'prod', '-o', 'yaml');
      return shown.includes('incidents: 2') ? shown : undefined;
    });
    const lists = rig.proxy.count('list');
    await eventually('two more lists', () => (rig.proxy.count('list') >= lists + 2 ? true : undefined));
    const afterwards = await kubectl('get', 'rac', 'prod', '-o', 'yaml');
    expect(afterwards, 'a list that finds nothing new writes nothing').toBe(stored);
  });

  test.concurrent('30 drifted policies on 5 scopes take one list a scope, one PATCH an alert, one verifying list a scope and one status write a policy; then only lists, although incidents stay', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, {
      onTestFinished,
      scopes: drifted,
      service: { pageSize: 4 },
      isStarted: false,
    });
    const { proxy, recorder } = rig;
    await rig.createConnection();
    for (const [index, scope] of manyScopes.entries()) {
      for (const [alert, name] of names.entries()) {
        const alerts = [{ name, state: 'Active' }];
        await rig.createPolicy(policyName(index, alert), { scope, interval: '5s', alerts });
      }
    }
    let firstListsBeforePatches = 0;
    proxy.intercept = ({ kind, scope }) => {
      const isFirst = kind === 'patch' && proxy.count('patch', scope) === 1;
      if (isFirst) firstListsBeforePatches += proxy.count('list', scope);
      return undefined;
    };
    const policyVersions = () => recorder.versions.filter(({ kind }) => kind === 'RoleAlertPolicy').length;
    await eventually('all policies created', () => (policyVersions() === 30 ? true : undefined));

    await rig.startOperator();
    for (const [index] of manyScopes.entries()) {
      for (const [alert] of names.entries()) await rig.policyIs(policyName(index, alert), 'Ready', 'True/Succeeded');
    }
    await rig.connectionIs('prod', 'True/Connected');
    expect(firstListsBeforePatches).toBe(5);
    // A list of 6 alerts on pages of 4 is two requests. A busy machine may have begun the next round.
    const round = ['list', 'page', ...names.map(() => 'patch'), 'list', 'page'];
    const begun = manyScopes.map((scope) =>
      proxy.requests.filter((each) => each.scope === scope).slice(0, round.length),
    );
    expect(begun.map((requests) => requests.map(({ kind }) => kind))).toEqual(manyScopes.map(() => round));
    expect(proxy.count('patch')).toBe(30);
    expect(policyVersions()).toBe(60);
    await eventually('the count of statuses', async () =>
      (await rig.metric('rolealerts_status_writes_total{kind="policy"}')) === 30 ? true : undefined,
    );
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
      manyScopes.every((scope) => proxy.count('list', scope) >= 2) ? true : undefined,
    );
    expect(proxy.requests.filter(({ kind }) => kind !== 'list' && kind !== 'page')).toEqual([]);
    expect(recorder.versions.slice(versions)).toEqual([]);
    expect((await rig.events()).length).toBe(events);
    expect(await rig.metric('rolealerts_status_writes_total')).toBe(writes);
  });
});
