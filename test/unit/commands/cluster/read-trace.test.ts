// Which events a trace has.
import { expect, test } from 'vitest';

import { readTrace } from '../../../../src/commands/cluster/read-trace.ts';
import { policy } from '../../../support/builders/objects.ts';
import { fakeApiServer } from '../../../support/rigs/fake-api-server.ts';

test('a repeated event of a trace has its last time, and the newest is first', async () => {
  const owners = policy();
  const { namespace, uid } = owners.metadata;
  const event = { involvedObject: { kind: 'RoleAlertPolicy', uid }, type: 'Warning', reason: 'Flapping' };
  const series = { count: 4, lastObservedTime: '2026-06-01T12:00:00.000000Z' };
  const items = [
    { ...event, message: 'once', eventTime: '2026-06-01T11:00:00.000000Z' },
    { ...event, message: 'again', eventTime: '2026-06-01T10:00:00.000000Z', series },
  ];
  const transport = fakeApiServer({ [`/api/v1/namespaces/${namespace}/events`]: items });
  const place = { transport, namespace, signal: new AbortController().signal, note: () => undefined };
  const { events } = await readTrace(place, owners, 'rolealerts-system');
  expect(events).toMatchObject({
    value: [
      { note: 'again', at: series.lastObservedTime, count: 4 },
      { note: 'once', count: 1 },
    ],
  });
});
