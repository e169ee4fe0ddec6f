// The event recorder on a manual clock: independent of the work queue, bounded, and with a limited number of retries.
import { beforeEach, describe, expect, it, test } from 'vitest';

import { StoppedError } from '../../../../src/lib/errors.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { ControllerError } from '../../../../src/operator/controller-error.ts';
import type { ApiServerResponse } from '../../../../src/operator/kube/api-server-call.ts';
import {
  createEventRecorder,
  type EventRecorder,
  NamespaceQueue,
  type RecordedEvent,
} from '../../../../src/operator/kube/event-recorder.ts';
import type { KubeRequest, KubeTransport } from '../../../../src/operator/kube/transport.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

type Sent = { readonly path: string; readonly body: Record<string, unknown> };

let clock: ManualClock;
let sent: Sent[];
let outcomes: string[];
/** Statuses of the next answers; afterwards all succeed. `hang` never answers; `not now` is not sent. */
let answers: (number | 'hang' | 'not now')[];
let recorder: EventRecorder;

beforeEach(() => {
  clock = new ManualClock();
  sent = [];
  outcomes = [];
  answers = [];
  recorder = createEventRecorder({
    transport: { send: answer } satisfies Pick<KubeTransport, 'send'> as unknown as KubeTransport,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    reportingInstance: 'rolealerts-0',
    capacity: 3,
    onDropped: (cause) => outcomes.push(cause),
  });
});

async function answer(request: KubeRequest): Promise<ApiServerResponse> {
  sent.push({ path: request.path, body: JSON.parse(request.body ?? '') as Record<string, unknown> });
  const next = answers.shift();
  if (next === 'hang') {
    await new Promise<never>((_resolve, reject) => {
      request.signal?.addEventListener('abort', () => reject(new StoppedError('Stopped.')));
    });
  }
  if (next === 'not now') throw new ControllerError('not-leading', 'not now');
  const status = typeof next === 'number' ? next : 201;
  if (status < 300 || status === 409) outcomes.push('recorded');
  return { status, headers: status === 429 ? { 'retry-after': '20' } : {}, body: 'not JSON' };
}

function fact(more: Partial<RecordedEvent> & { name?: string } = {}): RecordedEvent {
  const { name = 'a', ...rest } = more;
  const regarding = {
    apiVersion: 'rolealerts.dev/v1alpha1',
    kind: 'RoleAlertPolicy',
    name,
    namespace: 'team',
    uid: 'u',
  };
  return { regarding, type: 'Normal', reason: 'DriftCorrected', action: 'Activate', note: 'Done.', ...rest };
}

describe('an event', () => {
  it('is an object of events.k8s.io/v1 with the time at which it was recorded', async () => {
    recorder.record(fact());
    await clock.advance(0);

    expect(sent[0]?.path).toBe('/apis/events.k8s.io/v1/namespaces/team/events');
    expect(sent[0]?.body).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: expect.stringMatching(/^a\.[0-9a-f]+$/) as string, namespace: 'team' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'rolealerts.dev/rolealerts',
      reportingInstance: 'rolealerts-0',
      regarding: fact().regarding,
      type: 'Normal',
      reason: 'DriftCorrected',
      action: 'Activate',
      note: 'Done.',
    });
    expect(outcomes).toEqual(['recorded']);
  });

  it('has a note of at most 1,024 bytes and a name of at most 253 characters', async () => {
    recorder.record(fact({ note: '警'.repeat(1000), name: `${'x'.repeat(229)}.${'y'.repeat(23)}` }));
    await clock.advance(0);

    const { note, metadata } = sent[0]!.body as { note: string; metadata: { name: string } };
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).toMatch(/^警+…$/);
    expect(metadata.name.length).toBeLessThanOrEqual(253);
    expect(metadata.name).toMatch(/^x{229}\.[0-9a-f]+$/);
  });

  it('comes after the events that were recorded in the same millisecond, by its time and by its name', async () => {
    recorder.record(fact({ reason: 'DeactivatedByOthers' }));
    recorder.record(fact({ reason: 'DriftCorrected' }));
    recorder.record(fact({ reason: 'IncidentsResolved' }));
    await clock.advance(0);
    const bodies = sent.map(({ body }) => body as { eventTime: string; metadata: { name: string } });
    expect(bodies.map(({ eventTime }) => eventTime)).toEqual([
      '2026-01-01T00:00:00.000000Z',
      '2026-01-01T00:00:00.000001Z',
      '2026-01-01T00:00:00.000002Z',
    ]);
    const names = bodies.map(({ metadata }) => metadata.name);
    expect(names.toSorted()).toEqual(names);
  });
});

describe('a failure', () => {
  it.each([403, 404, 422])('of %i drops the event at once, and the next one is sent', async (status) => {
    answers = [status];
    recorder.record(fact());
    await clock.advance(0);
    recorder.record(fact());
    await clock.advance(0);
    expect(outcomes).toEqual(['refused', 'recorded']);
  });

  it('that is temporary is retried with the same object, and a conflict counts as success', async () => {
    answers = [500, 409];
    recorder.record(fact());
    await clock.advance(500);
    expect(outcomes).toEqual(['recorded']);
    expect(sent[1]).toEqual(sent[0]);
  });

  it('of a process that may not write for seconds delays the event', async () => {
    answers = ['not now', 'not now', 'not now'];
    recorder.record(fact());
    await clock.advance(10_500);
    expect(outcomes).toEqual(['recorded']);
  });

  it('that persists drops the event after four attempts', async () => {
    answers = [500, 500, 500, 500];
    recorder.record(fact());
    await clock.advance(10_500);
    expect([sent.length, outcomes]).toEqual([4, ['unreachable']]);
  });

  it('waits for the Retry-After', async () => {
    answers = [429];
    recorder.record(fact());
    await clock.advance(19_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    expect(outcomes).toEqual(['recorded']);
  });

  it('of the recorder itself, as with an invalid namespace, drops the event too', () => {
    const regarding = { ...fact().regarding, namespace: '../x' };
    expect(() => recorder.record(fact({ regarding }))).not.toThrow();
    expect(outcomes).toEqual(['refused']);
  });
});

describe('the queue', () => {
  it('holds its capacity and drops the rest', async () => {
    answers = ['hang', 'hang'];
    for (let count = 0; count < 7; count++) recorder.record(fact());
    await clock.advance(0);
    expect(outcomes).toEqual(['full', 'full']);
    expect(sent).toHaveLength(2);
  });

  it('is emptied before the recorder stops', async () => {
    for (let count = 0; count < 3; count++) recorder.record(fact());
    await recorder.stop(1000);
    recorder.record(fact());
    expect(outcomes).toEqual(['recorded', 'recorded', 'recorded', 'stopped']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is dropped at the deadline', async () => {
    answers = ['hang', 'hang'];
    for (let count = 0; count < 4; count++) recorder.record(fact());
    const stopped = recorder.stop(1000);
    await clock.advance(1000);
    await stopped;
    expect(outcomes).toEqual(['stopped', 'stopped', 'stopped', 'stopped']);
    expect([sent.length, clock.pendingTimers]).toEqual([2, 0]);
  });

  it('does not wait out a back-off when the recorder stops', async () => {
    answers = [429];
    recorder.record(fact());
    await clock.advance(0);
    const stopped = recorder.stop(1000);
    await clock.advance(1000);
    await stopped;
    expect(outcomes).toEqual(['stopped']);
  });
});

function drained(queue: NamespaceQueue<string>): string[] {
  const items: string[] = [];
  for (let item = queue.next(); item !== undefined; item = queue.next()) items.push(item);
  return items;
}

/** `a1` is the first of the namespace `a`. */
function filled(capacity: number, ...items: readonly string[]) {
  const queue = new NamespaceQueue<string>(capacity);
  const isKept = items.map((item) => queue.add(item.slice(0, 1), item));
  return { queue, isKept };
}

describe('a fair queue', () => {
  test('serves the namespaces by turns, each in its order', () => {
    const { queue, isKept } = filled(9, 'a1', 'a2', 'a3', 'b1', 'b2', 'c1');
    expect(isKept).not.toContain(false);
    expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('that is full drops the newest of the namespace with the most', () => {
    const { queue, isKept } = filled(3, 'a1', 'a2', 'a3', 'b1', 'a4');
    expect(isKept).toEqual([true, true, true, false, false]);
    expect(drained(queue)).toEqual(['a1', 'b1', 'a2']);
  });

  test('has room again after items were served or cleared', () => {
    const { queue } = filled(2, 'a1', 'a2');
    queue.next();
    expect(queue.add('a', 'a3')).toBe(true);
    expect(queue.clear()).toBe(2);
    expect(queue.add('a', 'a4')).toBe(true);
    expect(drained(queue)).toEqual(['a4']);
  });
});
