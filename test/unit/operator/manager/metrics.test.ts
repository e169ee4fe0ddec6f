// The series of the operator, also under churn: ten thousand policies and a hundred connections come, change and go, within the formula of
// deploy/reference/metrics.md.
import { expect, test } from 'vitest';

import { describeOperatorMetrics } from '../../../../.config/metrics.ts';
import { onlyOfExisting } from '../../../../src/operator/controller.ts';
import { actionCauses } from '../../../../src/operator/decide/writes.ts';
import type { ClusterPort } from '../../../../src/operator/ports.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { at, connection, policy } from '../../../support/builders/objects.ts';
import { MetricsRig } from '../../../support/rigs/metrics-rig.ts';

test('every metric has a series once its fact occurred, with the labels that it names', async () => {
  const rig = new MetricsRig();
  rig.addEverything();
  const series = await rig.series();
  const described = describeOperatorMetrics().filter(({ name }) => !/^(process|nodejs)_/.test(name));
  const shown = described.map(({ name, type }) => {
    const line = series.find((each) => each.startsWith(type === 'histogram' ? `${name}_sum{` : `${name}{`)) ?? '';
    return [name, [...line.matchAll(/[{,](\w+)="/g)].map(([, label]) => label)];
  });
  expect(shown).toEqual(described.map(({ name, labels }) => [name, labels]));
  const times = series.filter((line) => /^\w+_timestamp_seconds\{/.test(line)).map((line) => line.split(' ').at(-1));
  expect(times.filter((seconds) => Number(seconds) < 1e9 || Number(seconds) > 1e10)).toEqual([]);
});

const waves = 10;
const policiesAWave = 1000;
const connectionsAWave = 10;
const alerts = 2;
const conditions = ['Ready', 'InSync', 'ConnectionReady', 'IncidentsOpen', 'Coverage'];

function statusOf(round: number): RoleAlertPolicyStatus {
  const isGood = round % 2 === 0;
  const rows = Array.from({ length: alerts }, (_, index): AlertStatus => {
    const seen = { want: 'Active', live: 'Active', state: 'Firing', result: 'InSync', scanning: 'Enabled' } as const;
    return { name: `Alert${index}of${round}`, ...seen, severity: `text-${round}`, incidents: { total: round } };
  });
  return {
    observedGeneration: 1,
    conditions: conditions.map((type) => ({
      type,
      status: isGood ? 'True' : 'False',
      reason: isGood ? 'Succeeded' : 'Flapping',
      message: '',
      lastTransitionTime: at(0),
    })),
    summary: {
      declared: alerts,
      inSync: alerts,
      drifted: 0,
      missing: 0,
      dismissed: 0,
      incidents: round,
      inSyncText: '',
    },
    alerts: rows,
  };
}

test('the series of 10,000 policies that come, change and go never exceed the formula, and none remains', async () => {
  const rig = new MetricsRig();
  const { policies, connections } = rig;
  const observer = onlyOfExisting(rig.metrics.observer, {
    connections: { get: (key: string) => connections.objects.get(key) },
  } as unknown as ClusterPort);
  const before = await rig.series();
  // No policy declares the alerts, so they have one series.
  const perPolicy = conditions.length + 4 + 1;
  const perConnection = 2 + 3 + 4 + actionCauses.length;

  for (let wave = 0; wave < waves; wave++) {
    const names = Array.from({ length: policiesAWave }, (_, index) => `wave-${wave}-${index}`);
    const keys = Array.from({ length: connectionsAWave }, (_, index) => `wave-${wave}-${index}`);
    for (const name of keys) {
      connections.put({ ...connection(), metadata: { ...connection().metadata, name, uid: name } });
    }
    for (let round = 1; round <= 3; round++) {
      for (const name of names) {
        const metadata = { ...policy({ name }).metadata, resourceVersion: String(round) };
        policies.put(policy({ name, metadata, status: statusOf(wave + round) }));
      }
      for (const name of keys) {
        observer.connectionSeen(`team/${name}`, 'Connected', undefined);
        observer.roundCompleted(`team/${name}`);
        for (const cause of actionCauses) observer.correctionSeen(`team/${name}`, cause);
        for (const direction of ['activate', 'deactivate'] as const) {
          for (const result of ['sent', 'failed'] as const) observer.actionEnded(`team/${name}`, direction, result);
        }
      }
    }
    const series = await rig.series();
    expect(series.length - before.length).toBe(policiesAWave * perPolicy + connectionsAWave * perConnection);
    expect(new Set(series.map((line) => line.slice(0, line.lastIndexOf(' ')))).size).toBe(series.length);
    for (const object of policies.objects.values()) policies.delete(object);
    for (const object of connections.objects.values()) {
      connections.delete(object);
      observer.connectionForgotten(`team/${object.metadata.name}`);
      observer.connectionSeen(`team/${object.metadata.name}`, 'Connected', undefined);
      observer.roundCompleted(`team/${object.metadata.name}`);
    }
    expect(await rig.series()).toEqual(before);
  }
});
