// Every event is in the log as well: a Warning as a warning, with the object and the note.
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { loggedEvents } from '../../../../src/operator/logging.ts';
import { type NamespaceMetadata, referenceTo } from '../../../../src/policy/resources.ts';
import { connection, prodFields } from '../../../support/builders/objects.ts';

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
