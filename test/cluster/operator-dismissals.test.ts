// Deactivating alerts, and what activates them again: every way in which a dismissal can stop holding, while the operator
// runs and while it is down. The tests assert the flag in the service, and the statuses.
import { describe, expect, test, type TestContext } from 'vitest';

import { tomorrow } from '../support/builders/tomorrow.ts';
import { incident, modifiedByPerson } from '../support/checks/canaries.ts';
import { type OperatorRig, startRig } from '../support/rigs/operator-rig.ts';
import { describeWithControlPlane, eventually } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/Dismissals-1';
const alert = 'TooManyOwnersAssignedToResource';
const incidents = [incident('6f1c'), incident('77AA')];
const scopes = {
  [scope]: [{ name: alert, systemData: modifiedByPerson, properties: { isActive: true, alertIncidents: incidents } }],
};
const reason = 'tracked in SEC-1182';
const inactive = (bound: object) => ({
  scope,
  interval: '5s',
  alerts: [{ name: alert, state: 'Inactive', dismissal: { reason, ...endOf(bound), ...bound } }],
});
/** How the register shows a bound: ids of incidents by their number. */
const registered = (bound: { readonly incidents?: readonly string[] }) =>
  bound.incidents ? { incidents: bound.incidents.length } : { until: expect.any(String), ...bound };
const unrelated = { name: 'Unrelated', state: 'Active' };
/** A dismissal that names no incidents needs an end. */
const endOf = (bound: object) => ('incidents' in bound ? {} : { until: tomorrow() });

describeWithControlPlane('dismissals', (controlPlane) => {
  async function dismissed(bound: object, onTestFinished: TestContext['onTestFinished']): Promise<OperatorRig> {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    let ledgerAtPatch: unknown;
    rig.proxy.intercept = async ({ kind, body }) => {
      if (kind !== 'patch' || !body.includes('false')) return undefined;
      const { body: connection } = await rig.send('GET', 'rolealertconnections/prod');
      ledgerAtPatch ??= (connection as { status?: { dismissals?: unknown } } | undefined)?.status?.dismissals;
      return undefined;
    };
    await rig.createPolicy('quiet', inactive(bound));
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    const entry = { scope: scope.toLowerCase(), alert, policy: `${rig.namespace}/quiet`, since: expect.any(String) };
    const stored = [{ ...entry, ...registered(bound), reason }];
    expect(ledgerAtPatch, 'the ledger is stored before the PATCH arrives').toEqual(stored);
    return rig;
  }

  /** Once the alert is inactive: a machine that is slow must not reach the end before. */
  const endSoon = async (rig: OperatorRig) => {
    const until = new Date(Date.now() + 1000).toISOString().replace(/\.\d+/, '');
    await rig.editPolicy('quiet', { alerts: inactive({ until }).alerts });
    await eventually('its end', () => (Date.now() >= Date.parse(until) ? true : undefined));
  };
  const ends: readonly [string, () => object, (rig: OperatorRig) => Promise<void>][] = [
    ['the policy is deleted', () => ({ maxIncidents: 5 }), (rig) => rig.deletePolicy('quiet')],
    [
      'the grant is withdrawn',
      () => ({ maxIncidents: 5 }),
      (rig) => rig.editConnection('prod', { deactivation: 'Deny' }),
    ],
    [
      'a new incident goes beyond the named ones',
      () => ({ incidents: ['6F1C', '77aa'] }),
      async (rig) => {
        await rig.service.alerts.replaceIncidents(scope, alert, [...incidents, incident('9d3e')]);
      },
    ],
    [
      'there are more incidents than accepted',
      () => ({ maxIncidents: 2 }),
      async (rig) => {
        await rig.service.alerts.replaceIncidents(scope, alert, [...incidents, incident('9d3e')]);
      },
    ],
    ['its time is up', () => ({ maxIncidents: 5 }), endSoon],
    [
      'the policy no longer declares it',
      () => ({ maxIncidents: 5 }),
      (rig) => rig.editPolicy('quiet', { alerts: [unrelated] }),
    ],
  ];

  describe.concurrent.each(ends)('end when %s', (_, bound, end) => {
    test.concurrent('while the operator runs', async ({ onTestFinished }) => {
      const rig = await dismissed(bound(), onTestFinished);
      await end(rig);
      await rig.flagBecomes(scope, alert, true);
    });

    test.concurrent('while the operator is down', async ({ onTestFinished }) => {
      const rig = await dismissed(bound(), onTestFinished);
      await rig.stopOperator();
      await end(rig);
      const patches = rig.proxy.count('patch');
      await rig.startOperator();
      await rig.flagBecomes(scope, alert, true);
      expect(rig.proxy.count('patch')).toBe(patches + 1);
    });
  });

  test.concurrent('a dismissal that holds outlives suspension and Observe mode; one that stops holding ends there, too', async ({
    onTestFinished,
  }) => {
    const rig = await dismissed({ incidents: ['6f1c', '77aa'] }, onTestFinished);
    await rig.editPolicy('quiet', { mode: 'Observe' });
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    await rig.editPolicy('quiet', { suspend: true });
    await rig.policyIs('quiet', 'Ready', 'True/Suspended');
    expect(await rig.flag(scope, alert)).toBe(false);
    await rig.service.alerts.replaceIncidents(scope, alert, [...incidents, incident('9d3e')]);
    await rig.flagBecomes(scope, alert, true);
  });

  test.concurrent('a deactivation waits for the windows of its connection, and is sent once they are gone', async ({
    onTestFinished,
  }) => {
    // Half a year ahead, whatever the date is.
    const month = ((new Date().getUTCMonth() + 6) % 12) + 1;
    const window = { kind: 'Allow', schedule: `30 12 15 ${month} *`, duration: '1h', timeZone: 'Asia/Kolkata' };
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.editConnection('prod', { correctionWindows: [window] });
    await rig.createPolicy('quiet', inactive({ maxIncidents: 5 }));
    await rig.policyIs('quiet', 'Ready', 'True/WaitingForWindow');
    await rig.policyIs('quiet', 'InSync', 'False/OutsideWindow');
    const { body } = await rig.send('GET', 'rolealertpolicies/quiet');
    expect(JSON.stringify(body)).toMatch(/correction windows are closed until [0-9]{4}-[0-9]{2}-15T07:00:00Z/);
    expect(rig.proxy.count('patch')).toBe(0);
    await rig.editConnection('prod', { correctionWindows: null });
    await rig.flagBecomes(scope, alert, false);
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
  });

  test.concurrent('an auditor reads from the connection alone what is inactive, why, who declares it and until when', async ({
    onTestFinished,
  }) => {
    const until = tomorrow();
    const rig = await dismissed({ maxIncidents: 5, until }, onTestFinished);
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

  test.concurrent('an alert that others deactivated and no policy declares stays as it is', async ({
    onTestFinished,
  }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection();
    await rig.turn(scope, alert, false);
    await rig.createPolicy('other', {
      scope,
      interval: '5s',
      alerts: [{ name: 'SomethingElse', state: 'Inactive', dismissal: { reason, maxIncidents: 1, until: tomorrow() } }],
    });
    await rig.policyIs('other', 'Ready', 'True/Succeeded');
    await rig.deletePolicy('other');
    await rig.createPolicy('again', {
      scope,
      alerts: [{ name: 'SomethingElse', state: 'Inactive', dismissal: { reason, maxIncidents: 1, until: tomorrow() } }],
    });
    await rig.policyIs('again', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
    expect(rig.proxy.count('patch')).toBe(0);
  });

  test.concurrent('a connection that denies deactivation refuses it and says so', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection({ spec: { deactivation: 'Deny' } });
    await rig.createPolicy('quiet', inactive({ maxIncidents: 5 }));
    await rig.policyIs('quiet', 'Stalled', 'True/DeactivationDenied');
    await rig.policyIs('quiet', 'Ready', 'False/DeactivationDenied');
    expect(await rig.flag(scope, alert)).toBe(true);
    await eventually('the event', async () =>
      (await rig.events()).find((line) => line.startsWith('DeactivationDenied quiet')),
    );
    await rig.editConnection('prod', { deactivation: 'Allow' });
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
  });

  test.concurrent('end when the connection is deleted, which waits for the service', async ({ onTestFinished }) => {
    const rig = await dismissed({ maxIncidents: 5 }, onTestFinished);
    rig.proxy.intercept = ({ kind }, response) => {
      if (kind !== 'patch') return undefined;
      response.writeHead(503).end();
      return true;
    };
    await rig.deleteConnection('prod');
    await rig.connectionIs('prod', 'False/Deleting');
    await rig.policyIs('quiet', 'Stalled', 'True/ConnectionDeleting');
    expect(await rig.flag(scope, alert)).toBe(false);
    rig.proxy.intercept = () => undefined;
    await rig.flagBecomes(scope, alert, true);
    await rig.policyIs('quiet', 'Stalled', 'True/ConnectionNotFound');
  });

  test.concurrent('end when the connection is deleted while no operator runs, once one runs', async ({
    onTestFinished,
  }) => {
    const rig = await dismissed({ maxIncidents: 5 }, onTestFinished);
    await rig.stopOperator();
    await rig.deleteConnection('prod');
    await rig.startOperator();
    await rig.flagBecomes(scope, alert, true);
    await rig.policyIs('quiet', 'Stalled', 'True/ConnectionNotFound');
  });

  test.concurrent('an end too far ahead is refused unless the incidents are named', async ({ onTestFinished }) => {
    const rig = await startRig(controlPlane, { onTestFinished, scopes });
    await rig.createConnection({ spec: { limits: { maxDismissal: '1h' } } });
    const until = new Date(Date.now() + 7_200_000).toISOString();
    await rig.createPolicy('quiet', inactive({ until }));
    await rig.policyIs('quiet', 'Stalled', 'True/DismissalTooLong');
    expect(await rig.flag(scope, alert)).toBe(true);
    await rig.editPolicy('quiet', { alerts: inactive({ until, maxIncidents: 2 }).alerts });
    await rig.policyIs('quiet', 'Stalled', 'True/DismissalTooLong');
    expect(await rig.flag(scope, alert)).toBe(true);
    await rig.editPolicy('quiet', { alerts: inactive({ until, incidents: ['6f1c', '77aa'] }).alerts });
    await rig.policyIs('quiet', 'Ready', 'True/Succeeded');
    expect(await rig.flag(scope, alert)).toBe(false);
  });
});
