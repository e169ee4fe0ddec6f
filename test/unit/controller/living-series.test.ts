// The metrics of existing and of deleted objects.
import { expect, test } from 'vitest';

import { onlyOfExisting } from '../../../src/controller/living-series.ts';
import type { ClusterPort, Observer } from '../../../src/controller/ports.ts';
import { connection, policy } from '../../support/builders/objects.ts';

type Fact = keyof Observer;

/** All calls of an observer for one policy and one connection, in order. */
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

test('the observer learns everything about an existing policy and connection', () => {
  expect(reportsOf('team/owners', 'team/prod')).toEqual([
    'actionEnded team/prod activate sent',
    'correctionSeen team/prod Declared',
    'connectionSeen team/prod Connected ',
    'policySeen team/owners [object Object]',
    ...ofBoth('team/owners', 'team/prod'),
  ]);
});

test('no series begins for a deleted object, and its end is reported', () => {
  expect(reportsOf('team/gone', 'team/gone')).toEqual(ofBoth('team/gone', 'team/gone'));
});

test('a policy key counts among the policies only, a connection key among the connections only', () => {
  expect(reportsOf('team/prod', 'team/owners')).toEqual(ofBoth('team/prod', 'team/owners'));
});
