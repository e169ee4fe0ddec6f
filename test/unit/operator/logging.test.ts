// Which conditions of a transition are logged, with which facts and at which level.
import { expect, test } from 'vitest';

import { silentLogger } from '../../../src/lib/log.ts';
import { loggedEvents, recordTransition } from '../../../src/operator/logging.ts';
import { type EventDraft } from '../../../src/operator/report/event-draft.ts';
import type { Condition } from '../../../src/policy/generated/role-alert-policy.ts';
import { type NamespaceMetadata, referenceTo } from '../../../src/policy/resources.ts';
import { connection, policy, prodFields } from '../../support/builders/objects.ts';
import { keeping } from '../../support/reasons/example.ts';

const condition = (type: string, status: Condition['status'], change: Partial<Condition> = {}): Condition => ({
  type,
  status,
  observedGeneration: 1,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason: 'Succeeded',
  message: 'All is well.',
  ...change,
});

/** What the transition from these conditions to those records. */
function recorded(
  before: readonly Condition[] | undefined,
  conditions: readonly Condition[],
  drafts: EventDraft[] = [],
) {
  const { log, events, kept } = keeping();
  const object = policy({ ...(before && { status: { observedGeneration: 1, conditions: before } }) });
  recordTransition({ log, events }, object, { conditions }, drafts);
  return kept;
}

const short = (before: readonly Condition[] | undefined, after: readonly Condition[]) =>
  recorded(before, after).lines.map((line) => {
    const { level, msg, type, status } = line as unknown as Record<string, string>;
    return [level, msg, type, status].filter((part) => part !== undefined).join(' ');
  });

const ready = condition('Ready', 'True');

test.each([
  ['none, when nothing differs', [ready], [ready], []],
  [
    'none, when only generation and time differ',
    [ready],
    [{ ...ready, observedGeneration: 2, lastTransitionTime: '' }],
    [],
  ],
  ['the first one of an object', undefined, [ready], ['info condition changed Ready True']],
  ['another status', [ready], [condition('Ready', 'Unknown')], ['info condition changed Ready Unknown']],
  ['another reason', [ready], [{ ...ready, reason: 'Observed' }], ['info condition changed Ready True']],
  [
    'Ready that becomes False, as a warning',
    [ready],
    [condition('Ready', 'False')],
    ['warn condition changed Ready False'],
  ],
  ['another type that becomes False', [], [condition('InSync', 'False')], ['info condition changed InSync False']],
  ['one that is gone', [condition('Stalled', 'True'), ready], [ready], ['info condition removed Stalled']],
] as const)('%s', (_, before, after, expected) => {
  expect(short(before, after)).toEqual(expected);
});

// Every event is in the log as well: a Warning as a warning, with the object and the note.

test.each([
  ['Warning', 'warn'],
  ['Normal', 'info'],
] as const)(
  'a %s event is recorded and logged at the level %s; in a namespace that is being deleted only logged',
  (type, level) => {
    const recorded: object[] = [];
    const logged: object[] = [];
    const write = (each: string) => (facts: object, message: string) =>
      void logged.push({ level: each, facts, message });
    const log = { ...silentLogger, info: write('info'), warn: write('warn') };
    const event = {
      regarding: referenceTo(connection()),
      type,
      reason: 'CircuitOpen',
      action: 'Connect',
      note: 'The circuit breaker is open.',
    };
    const namespaces = new Map<string, NamespaceMetadata>();
    const events = loggedEvents({ record: (each) => void recorded.push(each) }, { namespaces }, log);
    events.record(event);
    expect(recorded).toEqual([event]);
    const facts = { ...prodFields, reason: 'CircuitOpen', action: 'Connect', note: 'The circuit breaker is open.' };
    expect(logged).toEqual([{ level, facts, message: 'event emitted' }]);
    const metadata = { name: 'team', uid: 'uid', resourceVersion: '1', deletionTimestamp: '2026-01-01T00:00:00Z' };
    namespaces.set('team', { metadata });
    events.record(event);
    expect([recorded.length, logged.length]).toEqual([1, 2]);
  },
);
