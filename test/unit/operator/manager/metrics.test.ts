import { expect, test } from 'vitest';

import { describeOperatorMetrics } from '../../../../.config/metrics.ts';
import type { ActionCause } from '../../../../src/operator/decide/writes.ts';
import { build, MetricsRig } from '../../../support/rigs/metrics-rig.ts';

const causes: Readonly<Record<ActionCause, true>> = {
  Declared: true,
  Unlisted: true,
  DismissalHolds: true,
  DismissalExpired: true,
  NewIncidents: true,
  DeclarationGone: true,
};

test('the corrections of a connection that is gone are no series any more, whatever their cause', async () => {
  const rig = new MetricsRig();
  const { observer } = rig.metrics;
  for (const connection of ['team/gone', 'team/kept']) {
    for (const cause of Object.keys(causes) as ActionCause[]) observer.correctionSeen(connection, cause);
  }
  observer.connectionForgotten('team/gone');
  expect(await rig.series('rolealerts_corrections_total')).toEqual(
    Object.keys(causes).map((cause) => `rolealerts_corrections_total{namespace="team",name="kept",cause="${cause}"} 1`),
  );
});

test('the series of a connection name its namespace and its name, and end with it', async () => {
  const rig = new MetricsRig();
  const { observer } = rig.metrics;
  observer.connectionSeen('team/prod', 'Connected', undefined);
  observer.roundCompleted('team/prod');
  observer.actionEnded('team/prod', 'activate', 'sent');
  const labels = 'namespace="team",name="prod"';
  expect((await rig.series()).filter((line) => line.includes('namespace='))).toEqual([
    `rolealerts_actions_total{${labels},direction="activate",result="sent"} 1`,
    `rolealerts_connection_ready{${labels}} 1`,
    `rolealerts_connection_last_answer_timestamp_seconds{${labels}} ${rig.clock.now() / 1000}`,
    `rolealerts_connection_last_full_round_timestamp_seconds{${labels}} ${rig.clock.now() / 1000}`,
  ]);
  observer.connectionForgotten('team/prod');
  expect((await rig.series()).filter((line) => line.includes('namespace='))).toEqual([]);
});

test('the build is in the labels of one series', async () => {
  const { version, commit, node } = build;
  expect(await new MetricsRig().series('rolealerts_build_info')).toEqual([
    `rolealerts_build_info{version="${version}",commit="${commit}",node="${node}"} 1`,
  ]);
});

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
});
