// Which changes of an object cause a reconcile.
import { describe, expect, test } from 'vitest';

import { connectionTrigger, policyTrigger } from '../../../../src/operator/queue/triggers.ts';
import { dismissalsFinalizer } from '../../../../src/policy/deletion.ts';
import { connection, policy } from '../../../support/builders/objects.ts';

const decided = { observedGeneration: 1, conditions: [] };
const seen = policy({ status: { observedGeneration: -1 } });
const { status: _, ...bare } = seen;
const withMetadata = (metadata: object) => ({ ...seen, metadata: { ...seen.metadata, ...metadata } });
const requested = (value: string) => withMetadata({ annotations: { 'rolealerts.dev/requestedAt': value } });

describe('a policy', () => {
  test.each([
    ['that is new', undefined, seen, 'edit'],
    ['whose spec changed', seen, withMetadata({ generation: 2 }), 'edit'],
    ['that is being deleted', seen, withMetadata({ deletionTimestamp: '2026-06-01T12:00:00Z' }), 'edit'],
    ['with a reconcile request', seen, requested('1'), 'edit'],
    ['with another reconcile request', requested('1'), requested('2'), 'edit'],
    ['whose reconcile request was removed', requested('1'), seen, 'none'],
    ['whose reconcile request is the same as before', requested('1'), requested('1'), 'none'],
    ['whose status another writer removed', seen, bare, 'repair'],
    ['that was labelled', seen, withMetadata({ labels: { team: 'a' } }), 'none'],
    ['whose status another writer changed', seen, { ...seen, status: decided }, 'repair'],
    ['that is delivered again', seen, withMetadata({ resourceVersion: '9' }), 'none'],
  ] as const)('%s', (_, before, now, trigger) => {
    expect(policyTrigger(before, now, undefined)).toBe(trigger);
  });

  test('whose status the operator is just writing is not reconciled again when the watch is faster than the response', () => {
    expect(policyTrigger(seen, { ...seen, status: decided }, decided)).toBe('none');
    expect(policyTrigger(seen, { ...seen, status: { observedGeneration: 0 } }, decided)).toBe('repair');
  });

  test('that is edited while its status is written is reconciled', () => {
    expect(policyTrigger(seen, { ...withMetadata({ generation: 2 }), status: decided }, decided)).toBe('edit');
  });
});

describe('a connection', () => {
  const known = connection();
  test.each([
    ['that is new', undefined, known, 'edit'],
    ['whose spec changed', known, { ...known, metadata: { ...known.metadata, generation: 2 } }, 'edit'],
    [
      'that is being deleted',
      known,
      { ...known, metadata: { ...known.metadata, deletionTimestamp: '2026-06-01T12:00:00Z' } },
      'edit',
    ],
    ['whose status another writer changed', known, { ...known, status: decided }, 'repair'],
    ['that is delivered again', known, { ...known, metadata: { ...known.metadata, resourceVersion: '9' } }, 'none'],
  ] as const)('%s', (_, before, now, trigger) => {
    expect(connectionTrigger(before, now, { writing: undefined, isHeld: false })).toBe(trigger);
  });

  test('whose status or finalizer the operator itself writes now causes nothing', () => {
    const held = { ...known, metadata: { ...known.metadata, finalizers: [dismissalsFinalizer] } };
    const own = { writing: decided, isHeld: true };
    expect(connectionTrigger(known, { ...known, status: decided }, own)).toBe('none');
    expect(connectionTrigger(known, held, own)).toBe('none');
    expect(connectionTrigger(held, known, own)).toBe('repair');
    expect(connectionTrigger(known, held, { ...own, isHeld: false })).toBe('repair');
  });
});
