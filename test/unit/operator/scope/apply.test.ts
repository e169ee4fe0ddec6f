// The sending of a batch over fakes: what is asked before each PATCH and in which order, what is remembered of it, and what ends the rest.
import { describe, expect, it } from 'vitest';

import type { Action } from '../../../../src/operator/decide/decisions.ts';
import type { PendingWrite, WriteFailure } from '../../../../src/operator/decide/writes.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { minuteMs, nowMs, pendingWrite } from '../../../support/builders/objects.ts';
import { FakeAttempt, type Patch } from '../../../support/rigs/fake-attempt.ts';

const on = (alert: string): Action => ({
  alert,
  isActive: true,
  cause: 'Declared',
  policyKey: 'team/on',
  actor: 'User',
});
const off = (alert: string): Action => ({
  alert,
  isActive: false,
  cause: 'DismissalHolds',
  policyKey: 'team/off',
  actor: 'Unknown',
});
const failing = (code: ErrorCode) => errorOf(code, 'as the test wants it', { serviceCode: 'Nope' });

/** `before`: what the state of the scope has of earlier tries. */
function rigWith(before: Readonly<Record<string, PendingWrite>>): FakeAttempt {
  const rig = new FakeAttempt();
  for (const [alert, write] of Object.entries(before)) rig.sent.set(alert, write);
  return rig;
}

describe('a batch', () => {
  it('asks again in the tick of an activation, and enters and confirms a deactivation before', async () => {
    const rig = new FakeAttempt();
    expect(await rig.apply(on('A'), off('B'))).toEqual({ count: 2, isWhole: true, error: undefined });
    expect(rig.calls).toEqual([
      'check A',
      'patch A true',
      'ended team/prod activate sent',
      'reached',
      'reserve 2',
      'check B',
      'enter B',
      'slot',
      'confirm',
      'checkRecorded B',
      'patch B false',
      'ended team/prod deactivate sent',
      'reached',
      'leave',
      'release',
    ]);
    expect([...rig.sent]).toEqual([
      ['A', { isActive: true, cause: 'Declared', policyKey: 'team/on', actor: 'User', tries: 1, sentAtMs: nowMs }],
      [
        'B',
        {
          isActive: false,
          cause: 'DismissalHolds',
          policyKey: 'team/off',
          actor: 'Unknown',
          tries: 1,
          sentAtMs: nowMs,
        },
      ],
    ]);
  });

  it('counts the tries of each alert, however it is spelled', async () => {
    const rig = rigWith({ a: pendingWrite({ tries: 3 }) });
    await rig.apply(on('A'), on('B'));
    expect([rig.sent.get('A')?.tries, rig.sent.get('B')?.tries]).toEqual([4, 1]);
  });

  it('continues after one alert that is refused', async () => {
    const rig = new FakeAttempt();
    rig.patches.set('A', { answer: failing('alert-refused') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 2, isWhole: true, error: undefined });
    expect(rig.sent.get('A')?.failure).toEqual({
      kind: 'Refused',
      serviceCode: 'Nope',
      retryAtMs: nowMs + 4 * minuteMs,
    });
    expect(rig.calls).toContain('ended team/prod activate failed');
  });

  it('ends after a refused credential, which concerns what follows too', async () => {
    const rig = new FakeAttempt();
    rig.patches.set('A', { answer: failing('service-denied') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 1, isWhole: false, error: undefined });
    expect(rig.sent.get('A')?.failure?.kind).toBe('Refused');
    expect([...rig.sent.keys()]).toEqual(['A']);
  });

  it.each(['service-unreachable', 'service-protocol'] as const)(
    'remembers a PATCH that met %s, which may have been applied, and backs off',
    async (code) => {
      const rig = rigWith({ a: pendingWrite({ tries: 2 }) });
      rig.patches.set('A', { answer: failing(code) });
      await rig.apply(on('A'));
      expect(rig.sent.get('A')).toMatchObject({ failure: { kind: 'Unreachable', retryAtMs: nowMs + 4000 }, tries: 3 });
      expect(rig.calls).toContain(code === 'service-unreachable' ? 'unreached' : 'reached');
    },
  );

  it.each<[string, Patch, number]>([
    ['it was written, when it worked', {}, 0],
    ['it was written, when no response came', { answer: failing('service-unreachable') }, 0],
    ['it failed, when it was never written', { beforeWrite: failing('service-unreachable') }, 5000],
  ])('dates a PATCH by the moment in which %s', async (_, patch, afterMs) => {
    const rig = new FakeAttempt();
    rig.answerMs = 5000;
    rig.patches.set('A', patch);
    await rig.apply(on('A'));
    expect(rig.sent.get('A')?.sentAtMs).toBe(nowMs + afterMs);
  });

  it('ends when the wait for the next PATCH is aborted', async () => {
    const rig = new FakeAttempt();
    rig.waitSignal.abort();
    rig.patches.set('B', { beforeWrite: failing('stopped') });
    expect(await rig.apply(on('A'), on('B'), on('C'))).toEqual({ count: 1, isWhole: false, error: 'stopped' });
  });

  it.each(['service-busy', 'kube-unreachable'] as const)(
    'is ended by %s, which concerns more than one alert',
    async (code) => {
      const rig = new FakeAttempt();
      rig.patches.set('B', { beforeWrite: failing(code) });
      expect(await rig.apply(on('A'), on('B'), on('C'))).toEqual({ count: 1, isWhole: false, error: code });
      expect([...rig.sent.keys()]).toEqual(['A']);
    },
  );

  it('that is stopped ends; without the client of an old spec it is planned again', async () => {
    const rig = new FakeAttempt();
    rig.patches.set('A', { beforeWrite: failing('stopped') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 1, isWhole: true, error: undefined });
    const stopped = new FakeAttempt();
    stopped.patches.set('A', { beforeWrite: failing('stopped') });
    stopped.life.abort();
    expect(await stopped.apply(on('A'), on('B'))).toEqual({ count: 0, isWhole: false, error: 'stopped' });
  });
});

describe('a deactivation', () => {
  it('reserves its fresh list and itself ahead, and gives back what it does not need', async () => {
    const rig = new FakeAttempt();
    rig.pages = 3;
    rig.failures.set('patch A false', new TypeError('a bug'));
    expect(await rig.apply(off('A'))).toEqual({ rejected: 'a bug' });
    expect([rig.calls[0], rig.calls.at(-1)]).toEqual(['reserve 4', 'release']);
  });

  it.each(['enter A', 'slot', 'confirm', 'list', 'checkRecorded A'])(
    'whose step `%s` fails is not sent, and leaves no entry behind',
    async (step) => {
      const rig = new FakeAttempt();
      rig.isFresh = false;
      rig.failures.set(step, failing('plan-outdated'));
      expect(await rig.apply(off('A'))).toEqual({ count: 0, isWhole: true, error: undefined });
      expect(rig.calls.some((each) => each.startsWith('patch'))).toBe(false);
      expect(rig.calls.includes('undo A')).toBe(step !== 'enter A');
      expect(rig.calls.includes('leave')).toBe(!['enter A', 'slot'].includes(step));
      expect(rig.calls).toContain('release');
    },
  );

  it.each([
    [5000, ['confirm', 'list', 'plan', 'patch A false']],
    [5001, ['confirm', 'list', 'plan', 'confirm', 'patch A false']],
  ])('is confirmed again after a fresh list that took more than five seconds: %i ms', async (listMs, expected) => {
    const rig = new FakeAttempt();
    rig.isFresh = false;
    rig.listMs = listMs;
    await rig.apply(off('A'));
    expect(rig.calls.filter((each) => /^(confirm|list|plan|patch)/.test(each))).toEqual(expected);
  });

  it.each<[string, Patch, boolean]>([
    ['that was refused', { answer: failing('alert-refused') }, false],
    ['whose credential was refused', { answer: failing('service-denied') }, false],
    ['that was never written', { beforeWrite: failing('service-unreachable') }, true],
    ['whose response is lost', { answer: failing('service-unreachable') }, false],
    ['whose response is invalid', { answer: failing('service-protocol') }, false],
    ['that was cut off', { answer: failing('stopped') }, false],
    ['that worked', {}, false],
  ])('%s keeps its entry unless it was never sent', async (_, patch, isUndone) => {
    const rig = new FakeAttempt();
    rig.patches.set('A', patch);
    await rig.apply(off('A'));
    expect(rig.calls.includes('undo A')).toBe(isUndone);
  });

  const unwritten = { kind: 'NotWritten', serviceCode: undefined, retryAtMs: nowMs } as const;

  it.each<[string, PendingWrite | undefined, Patch, WriteFailure['kind']]>([
    ['none before', undefined, { beforeWrite: failing('service-unreachable') }, 'NotWritten'],
    [
      'one that was written',
      pendingWrite({ isActive: false }),
      { beforeWrite: failing('service-unreachable') },
      'Unreachable',
    ],
    [
      'one that was never written either',
      pendingWrite({ isActive: false, failure: unwritten }),
      { beforeWrite: failing('service-unreachable') },
      'NotWritten',
    ],
    ['one in the other direction', pendingWrite(), { beforeWrite: failing('service-unreachable') }, 'NotWritten'],
    ['none before, and it was written', undefined, { answer: failing('service-unreachable') }, 'Unreachable'],
  ])('that fails after %s is known to be never written, or not', async (_, before, patch, expected) => {
    const rig = rigWith(before ? { A: before } : {});
    rig.patches.set('A', patch);
    await rig.apply(off('A'));
    expect(rig.sent.get('A')?.failure?.kind).toBe(expected);
  });
});
