// The metrics of existing and of deleted connections.
import { expect, test } from 'vitest';

import { onlyOfExisting } from '../../../../src/operator/controller.ts';
import type { ClusterPort, Observer } from '../../../../src/operator/ports.ts';
import { connection } from '../../../support/builders/objects.ts';

type Fact = keyof Observer;

/** All calls of an observer for one connection, in order. */
function reportsOf(connectionKey: string): string[] {
  const reports: string[] = [];
  const note =
    (fact: Fact) =>
    (...facts: readonly unknown[]) =>
      void reports.push([fact, ...facts].join(' '));
  const caches = { connections: new Map([['team/prod', connection()]]) } as unknown as ClusterPort;
  const observer = onlyOfExisting(
    {
      reconcileEnded: note('reconcileEnded'),
      actionEnded: note('actionEnded'),
      correctionSeen: note('correctionSeen'),
      connectionSeen: note('connectionSeen'),
      roundCompleted: note('roundCompleted'),
      connectionForgotten: note('connectionForgotten'),
      dismissalsAbandoned: note('dismissalsAbandoned'),
      statusWritten: note('statusWritten'),
    },
    caches,
  );
  observer.actionEnded(connectionKey, 'activate', 'sent');
  observer.correctionSeen(connectionKey, 'Declared');
  observer.connectionSeen(connectionKey, 'Connected', undefined);
  observer.roundCompleted(connectionKey);
  observer.reconcileEnded('corrected', 12);
  observer.connectionForgotten(connectionKey);
  observer.statusWritten('policy');
  return reports;
}

const ofAny = (connectionKey: string) => [
  'reconcileEnded corrected 12',
  `connectionForgotten ${connectionKey}`,
  'statusWritten policy',
];

test('the observer learns everything about an existing connection', () => {
  expect(reportsOf('team/prod')).toEqual([
    'actionEnded team/prod activate sent',
    'correctionSeen team/prod Declared',
    'connectionSeen team/prod Connected ',
    'roundCompleted team/prod',
    ...ofAny('team/prod'),
  ]);
});

test('no series begins for a deleted connection, and its end is reported', () => {
  expect(reportsOf('team/gone')).toEqual(ofAny('team/gone'));
});
