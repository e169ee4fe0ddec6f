// The metrics of policies and connections: what the statuses show, for as long as the objects exist.
import { beforeEach, describe, expect, it } from 'vitest';

import type {
  AlertStatus,
  PolicySummary,
  RoleAlertPolicyStatus,
} from '../../../../src/policy/generated/role-alert-policy.ts';
import { at, connection, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { MetricsRig } from '../../../support/rigs/metrics-rig.ts';

let rig: MetricsRig;

beforeEach(() => {
  rig = new MetricsRig();
});

const owners = 'namespace="team",name="owners"';
const prod = 'namespace="team",name="prod"';

function row(change: Partial<AlertStatus>): AlertStatus {
  const seen = { want: 'Active', live: 'Active', state: 'Firing', result: 'InSync', scanning: 'Enabled' } as const;
  return { name: 'Owners', ...seen, severity: 'High', incidents: { total: 3 }, ...change };
}

const summary: PolicySummary = {
  declared: 3,
  inSync: 1,
  drifted: 1,
  missing: 1,
  dismissed: 1,
  incidents: 4,
  inSyncText: '1/3',
};

function store(status: Partial<RoleAlertPolicyStatus>, version = 1): void {
  const metadata = { ...policy().metadata, resourceVersion: String(version) };
  const spec = { alerts: (['Owners', 'Guests'] as const).map((name) => ({ name, state: 'Active' as const })) };
  rig.policies.put(policy({ metadata, spec, status: { observedGeneration: 1, ...status } }));
}

it('a policy that was never listed has its conditions and no counts', async () => {
  rig.policies.put(policy());
  expect((await rig.series()).filter((line) => line.includes(owners))).toEqual([
    `rolealerts_policy_condition{${owners},type="Ready",status="Unknown",reason="Pending"} 1`,
    `rolealerts_policy_suspended{${owners}} 0`,
  ]);
});

it('a listed policy has the counts of its status', async () => {
  store({ summary });
  expect(await rig.series('rolealerts_policy_')).toEqual([
    `rolealerts_policy_suspended{${owners}} 0`,
    `rolealerts_policy_incidents{${owners}} 4`,
    `rolealerts_policy_dismissed_alerts{${owners}} 1`,
    `rolealerts_policy_drifted_alerts{${owners}} 2`,
  ]);
});

it('a policy is suspended until suspendUntil', async () => {
  rig.policies.put(policy({ spec: { suspend: true, suspendUntil: at(minuteMs) } }));
  expect(await rig.series('rolealerts_policy_suspen')).toEqual([
    `rolealerts_policy_suspended{${owners}} 1`,
    `rolealerts_policy_suspension_end_timestamp_seconds{${owners}} ${Date.parse(at(minuteMs)) / 1000}`,
  ]);
  await rig.clock.advance(minuteMs);
  expect(await rig.series('rolealerts_policy_suspen')).toEqual([`rolealerts_policy_suspended{${owners}} 0`]);
});

describe('incidents', () => {
  const incidents = (alert: string, severity: string, total: number) =>
    `rolealerts_incidents{${owners},alert="${alert}",severity="${severity}"} ${total}`;

  it('have the name that the policy declares, and those of other alerts count together: the service may name as many as it likes', async () => {
    store({
      alerts: [
        row({ name: 'OWNERS' }),
        row({ name: 'Made up 1', severity: 'low' }),
        row({ name: 'Made up 2', severity: 'low', incidents: { total: 4 } }),
        row({ name: 'Made up 3' }),
      ],
    });
    expect(await rig.series('rolealerts_incidents')).toEqual([
      incidents('Owners', 'High', 3),
      incidents('unlisted', 'Low', 7),
      incidents('unlisted', 'High', 3),
    ]);
  });

  it.each([
    ['Medium', 'Medium'],
    ['HIGH', 'High'],
    ['Critical', 'Unknown'],
    [undefined, 'Unknown'],
  ])('of severity %s have the label %s', async (severity, label) => {
    store({ alerts: [{ ...row({}), ...(severity === undefined ? {} : { severity }) }] });
    const { severity: _, ...unrated } = row({});
    store({ alerts: [severity === undefined ? unrated : { ...unrated, severity }] }, 2);
    expect(await rig.series('rolealerts_incidents')).toEqual([incidents('Owners', label, 3)]);
  });

  it.each([
    ['a dismissed alert', { want: 'Inactive', live: 'Inactive' }, false],
    ['an alert that has to be dismissed', { want: 'Inactive', live: 'Active' }, true],
    ['an alert that has to be active', { want: 'Active', live: 'Inactive' }, true],
    ['an alert that the service does not list', { want: 'Active', live: 'Missing' }, false],
  ] as const)('of %s', async (_, change, isCounted) => {
    store({ alerts: [row(change)] });
    expect(await rig.series('rolealerts_incidents')).toEqual(isCounted ? [incidents('Owners', 'High', 3)] : []);
  });
});

it('the end of a dismissal has a series with who deactivated the alert, and a dismissal without an end has none', async () => {
  const entry = { scope: 'subscriptions/a', alert: 'Owners', policy: 'team/owners', since: at(0) };
  const dismissals = [
    { ...entry, until: at(minuteMs) },
    { ...entry, alert: 'Guests', incidents: 2 },
  ];
  rig.connections.put({ ...connection(), status: { observedGeneration: 1, dismissals } });
  const adopted = inactive({ until: at(minuteMs) });
  const alerts = [row({ name: adopted.name, want: 'Inactive', live: 'Inactive' })];
  rig.policies.put(policy({ spec: { alerts: [adopted] }, status: { observedGeneration: 1, alerts } }));
  const name = 'rolealerts_dismissal_end_timestamp_seconds';
  const labels = `${prod},policy_namespace="team",policy_name="owners",scope="subscriptions/a"`;
  const endSeconds = Date.parse(at(minuteMs)) / 1000;
  expect(await rig.series(name)).toEqual([
    `${name}{${labels},alert="Owners",deactivated_by="Operator"} ${endSeconds}`,
    `${name}{${labels},alert="${adopted.name}",deactivated_by="Other"} ${endSeconds}`,
  ]);
});
