// What the metrics are told of objects that exist, and of those that are gone.
import { expect, test } from 'vitest';

import { onlyOfExisting } from '../../../src/controller/living-series.ts';
import type { ClusterPort, Observer } from '../../../src/controller/ports.ts';
import { connection, policy } from '../../support/builders/objects.ts';

type Fact = keyof Observer;

/** Everything that an observer is told of one policy and one connection, in order. */
function reportsOf(policyKey: string, connectionKey: string): string[] {
  const reports: string[] = [];
  const note =
    (fact: Fact) =>
    (...facts: readonly unknown[]) =>
      void reports.push([fact, ...facts].join(' '));
  const caches = {
    policies: new Map([['team/owners', policy()]]),
    connections: new Map([['team/prod', connection()]]),
  } as unknown as ClusterPort;
  const observer = onlyOfExisting(
    {
      reconcileEnded: note('reconcileEnded'),
      actionEnded: note('actionEnded'),
      correctionSeen: note('correctionSeen'),
      connectionSeen: note('connectionSeen'),
      connectionForgotten: note('connectionForgotten'),
      policySeen: note('policySeen'),
      policyForgotten: note('policyForgotten'),
      statusWritten: note('statusWritten'),
    },
    caches,
  );
  observer.actionEnded(connectionKey, 'activate', 'sent');
  observer.correctionSeen(connectionKey, 'Declared');
  observer.connectionSeen(connectionKey, 'Connected', undefined);
  observer.policySeen(policyKey, { observedGeneration: 1 });
  observer.reconcileEnded(connectionKey, 'corrected', 12);
  observer.connectionForgotten(connectionKey);
  observer.policyForgotten(policyKey);
  observer.statusWritten('policy');
  return reports;
}

const ofBoth = (policyKey: string, connectionKey: string) => [
  `reconcileEnded ${connectionKey} corrected 12`,
  `connectionForgotten ${connectionKey}`,
  `policyForgotten ${policyKey}`,
  'statusWritten policy',
];

test('everything is told of a policy and a connection that exist', () => {
  expect(reportsOf('team/owners', 'team/prod')).toEqual([
    'actionEnded team/prod activate sent',
    'correctionSeen team/prod Declared',
    'connectionSeen team/prod Connected ',
    'policySeen team/owners [object Object]',
    ...ofBoth('team/owners', 'team/prod'),
  ]);
});

test('no series begins with what is gone, and what ends one is told', () => {
  expect(reportsOf('team/gone', 'team/gone')).toEqual(ofBoth('team/gone', 'team/gone'));
});

test('a policy is looked for among the policies, a connection among the connections', () => {
  expect(reportsOf('team/prod', 'team/owners')).toEqual(ofBoth('team/prod', 'team/owners'));
});
