// What the operator remembers of a scope, step by step.
import { describe, expect, it } from 'vitest';

import { emptyMap } from '../../../../src/lib/shared-empty.ts';
import {
  newScopeState,
  type ScopeEvent,
  type ScopeState,
  stepScope,
} from '../../../../src/operator/decide/scope-state.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import { pendingWrite } from '../../../support/builders/objects.ts';

const empty = newScopeState(7);
const after = (...events: ScopeEvent[]): ScopeState => events.reduce(stepScope, empty);

const correction = (alert: string, policyKey: string | undefined): Correction => ({
  alert,
  isActive: true,
  cause: 'Declared',
  policyKey,
  actor: 'Unknown',
  seenAtMs: 1000,
});
const listed = (...corrections: Correction[]): ScopeEvent => ({
  kind: 'Listed',
  pages: 3,
  writes: { corrections, open: new Map([['x', pendingWrite({})]]) },
  intervalMs: 60_000,
  nowMs: 1000,
  monotonicMs: 50,
});

describe('the state of a scope', () => {
  it('begins without writes and counts, as if it was listed just now', () => {
    expect(empty).toMatchObject({ outdated: 0, failures: 0, errors: 0, lastListMs: 7, pages: 1 });
  });

  it('takes over what a list proves, and keeps each correction for the status of its policy', () => {
    const state = after(
      listed(correction('A', 'team/a')),
      listed(correction('B', 'team/a'), correction('C', undefined)),
    );
    expect(state).toMatchObject({ pages: 3, lastListMs: 50 });
    expect([...state.sent.keys()]).toEqual(['x']);
    expect([...state.activationBackoffs.keys()]).toEqual(['a', 'b', 'c']);
    expect([...state.unrecorded]).toEqual([['team/a', [correction('A', 'team/a'), correction('B', 'team/a')]]]);
  });

  it('shares one empty map, because most scopes have nothing to remember', () => {
    const state = after(
      {
        kind: 'Listed',
        pages: 1,
        writes: { corrections: [], open: new Map() },
        intervalMs: 1,
        nowMs: 1,
        monotonicMs: 1,
      },
      { kind: 'PolicyRecorded', policyKey: 'team/a' },
      { kind: 'PolicyGone', policyKey: 'team/a' },
      { kind: 'Edited' },
    );
    const { sent, activationBackoffs, unrecorded } = state;
    const maps = new Set([sent, activationBackoffs, unrecorded]);
    expect([...maps]).toEqual([emptyMap]);
    expect(maps.has(emptyMap)).toBe(true);
  });

  it('keeps the latest corrections of each alert, however long no status can be written', () => {
    const many = Array.from({ length: 100 }, (_, seenAtMs) => ({ ...correction('A', 'team/a'), seenAtMs }));
    const kept = after(listed(correction('B', 'team/a'), ...many)).unrecorded.get('team/a') ?? [];
    expect(kept.map(({ alert, seenAtMs }) => [alert, seenAtMs])).toEqual([
      ['B', correction('B', 'team/a').seenAtMs],
      ...many.slice(-32).map(({ alert, seenAtMs }) => [alert, seenAtMs]),
    ]);
  });

  it('forgets the corrections that a status shows, of that policy only', () => {
    const seen = listed(correction('A', 'team/a'), correction('B', 'team/b'));
    expect([...after(seen, { kind: 'PolicyRecorded', policyKey: 'team/a' }).unrecorded.keys()]).toEqual(['team/b']);
  });

  it('remembers how much was proven before its first refusal, until it is answered', () => {
    const refused = (proofs: number): ScopeEvent => ({ kind: 'Answered', endKind: 'refused', proofs });
    const refusedAfter = (...events: ScopeEvent[]) => after(refused(4), refused(7), ...events).refusedAfter;
    const ended = (endKind: 'listed' | 'answered' | 'unreached') =>
      refusedAfter({ kind: 'Answered', endKind, proofs: 7 });
    expect([refusedAfter(), ended('listed'), ended('answered'), ended('unreached')]).toEqual([
      4,
      undefined,
      undefined,
      4,
    ]);
  });

  it('ends the count of errors once all is recorded', () => {
    expect(after({ kind: 'Ended', counts: { errors: 3 } }, { kind: 'AllRecorded' }).errors).toBe(0);
  });

  it('disowns the writes of a policy that is gone, and drops its corrections', () => {
    const state = after(
      listed(correction('A', 'team/a'), correction('B', 'team/b')),
      { kind: 'Sent', alert: 'a', write: pendingWrite({ policyKey: 'team/a' }) },
      { kind: 'Sent', alert: 'b', write: pendingWrite({ policyKey: 'team/b' }) },
      { kind: 'PolicyGone', policyKey: 'team/a' },
    );
    expect([state.sent.get('a')?.policyKey, state.sent.get('b')?.policyKey]).toEqual([undefined, 'team/b']);
    expect([...state.unrecorded.keys()]).toEqual(['team/b']);
  });

  it('ends every back-off with an edit, and the failures alone with a change of the connection', () => {
    const failure = { kind: 'Refused', serviceCode: undefined, retryAtMs: 5 } as const;
    const failed = [
      listed(correction('A', 'team/a')),
      { kind: 'Sent', alert: 'refused', write: pendingWrite({ failure }) },
      { kind: 'Ended', counts: { failures: 4 } },
    ] as const;
    const edited = after(...failed, { kind: 'Edited' });
    expect([edited.failures, edited.activationBackoffs.size, [...edited.sent.keys()]]).toEqual([0, 0, ['x']]);
    const changed = after(...failed, { kind: 'ConnectionChanged' });
    expect([changed.failures, changed.activationBackoffs.size, changed.sent.size]).toEqual([0, 1, 2]);
  });
});
