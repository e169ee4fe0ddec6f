// Which events a report has, and what it says when it may not have them.
import { expect, test } from 'vitest';

import { readEvents } from '../../../../src/commands/cluster/read-events.ts';
import { type FakeAnswers, fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

const path = '/api/v1/namespaces/team/events';
const involvedObject = { kind: 'RoleAlertPolicy', namespace: 'team', name: 'owners', uid: 'uid-1' };
const event = { involvedObject, type: 'Warning', reason: 'Flapping', message: 'Held.' };

async function read(answers: FakeAnswers, ...selectors: readonly string[]) {
  const transport = fakeApiServer(answers);
  const { signal } = new AbortController();
  return { ...(await readEvents({ transport, namespace: 'team', signal }, ...selectors)), transport };
}

test('an event has its last time and its count, whichever members hold them', async () => {
  const { events } = await read({
    [path]: [
      { ...event, eventTime: '2026-06-01T10:00:00.000000Z', firstTimestamp: null, lastTimestamp: null },
      {
        ...event,
        series: { count: 4, lastObservedTime: '2026-06-01T12:00:00.000000Z' },
        eventTime: '2026-06-01T10:00:00.000000Z',
      },
      { ...event, type: 'Normal', lastTimestamp: '2026-06-01T11:00:00Z', count: 2 },
    ],
  });
  expect(events.map(({ at, count, type }) => [at, count, type])).toEqual([
    ['2026-06-01T10:00:00.000000Z', 1, 'Warning'],
    ['2026-06-01T12:00:00.000000Z', 4, 'Warning'],
    ['2026-06-01T11:00:00Z', 2, 'Normal'],
  ]);
  expect(events[0]).toMatchObject({ uid: 'uid-1', reason: 'Flapping', note: 'Held.' });
});

test('an event without an object or a time is left out', async () => {
  const { events } = await read({
    [path]: [{ ...event, eventTime: 'yesterday' }, { eventTime: '2026-06-01T10:00:00Z' }],
  });
  expect(events).toEqual([]);
});

test('only events of the operator are requested', async () => {
  const { transport } = await read({ [path]: [] }, 'involvedObject.uid=uid-1');
  const { searchParams } = new URL(transport.requests[0]?.path ?? '', 'http://host');
  expect(searchParams.get('fieldSelector')).toBe(
    'reportingComponent=rolealerts.dev/rolealerts,involvedObject.uid=uid-1',
  );
});

test('a refusal gives a note with the fix, and another failure fails the report', async () => {
  const { events, note } = await read({ [path]: 'kube-denied' });
  expect({ events, note }).toEqual({ events: [], note: expect.stringContaining('ask for the ClusterRole view') });
  await expect(read({ [path]: 'kube-unreachable' })).rejects.toThrow('refused');
});
