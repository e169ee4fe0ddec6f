// The sending of a batch over fakes: what is asked before each PATCH and in which order, what is remembered of it, and what ends the rest.
import { describe, expect, it } from 'vitest';

import type { PatchOptions } from '../../../src/alert-client/alert-client.ts';
import type { ApplyDeps, ApplyInput, RecordedDismissal } from '../../../src/controller/apply-deps.ts';
import { applyActions } from '../../../src/controller/apply.ts';
import type { CodedError } from '../../../src/lib/errors.ts';
import type { Action } from '../../../src/plan/decisions.ts';
import type { SentWrite } from '../../../src/plan/memory.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { minuteMs, nowMs, sentWrite } from '../../support/builders/objects.ts';

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

/** What of a PATCH fails: before it is written, or its response. */
interface Patch {
  readonly beforeWrite?: CodedError;
  readonly answer?: CodedError;
}

class Rig {
  /** Everything that happens, in order. */
  readonly calls: string[] = [];
  readonly sent = new Map<string, SentWrite>();
  readonly patches = new Map<string, Patch>();
  /** What a step fails with, such as `enter A`. */
  readonly failures = new Map<string, Error>();
  /** Wall clock. */
  nowMs = nowMs;
  /** How long a response, or a failure to send, takes. */
  answerMs = 0;
  /** What the fresh list says about its duration. */
  freshened: 'Slowly' | undefined = undefined;
  isReachable = true;
  mayWrite = true;
  readonly life = new AbortController();
  readonly waitSignal = new AbortController();
  readonly #input: Partial<ApplyInput>;

  constructor(input: Partial<ApplyInput> = {}) {
    this.#input = input;
  }

  apply(...actions: Action[]) {
    const input = {
      connection: 'team/prod',
      scope: 's',
      actions,
      sent: new Map(),
      pages: 1,
      intervalMs: minuteMs,
      ...this.#input,
    };
    const call = { priority: 'low' as const, signal: this.life.signal, waitSignal: this.waitSignal.signal };
    return applyActions(this.#deps(), input, call).then(
      ({ count, outdated, error }) => ({ count, outdated, error: error?.code }),
      (error: Error) => ({ rejected: error.message }),
    );
  }

  #step(what: string): void {
    this.calls.push(what);
    const failure = this.failures.get(what);
    if (failure) throw failure;
  }

  #deps(): ApplyDeps {
    const reservation = { use: () => true, release: () => this.#step('release') };
    return {
      client: {
        reserve: async (requests: number) => {
          this.#step(`reserve ${requests}`);
          return reservation;
        },
        acquirePermit: async () => {
          this.#step('slot');
          return { release: () => this.#step('leave') };
        },
        patchAlert: async (_: string, alert: string, isActive: boolean, call: PatchOptions) => {
          const { beforeWrite, answer } = this.patches.get(alert) ?? {};
          if (beforeWrite) {
            this.nowMs += this.answerMs;
            throw beforeWrite;
          }
          call.beforeSend();
          this.nowMs += this.answerMs;
          this.#step(`patch ${alert} ${isActive}`);
          if (answer) throw answer;
          return 'sent';
        },
      } as unknown as ApplyDeps['client'],
      observer: {
        actionEnded: (...facts: string[]) => this.calls.push(`ended ${facts.join(' ')}`),
      } as unknown as ApplyDeps['observer'],
      nowMs: () => this.nowMs,
      check: ({ alert }) => this.#step(`check ${alert}`),
      checkRecorded: ({ alert }) => this.#step(`checkRecorded ${alert}`),
      recordDismissal: async ({ alert }): Promise<RecordedDismissal> => {
        this.#step(`enter ${alert}`);
        const record = { at: '2026-01-01T00:00:00Z', namespace: 'team', scope: 's', alert };
        return { atMs: 0, cancel: () => this.#step(`undo ${alert}`), sent: { record, sentMs: 0 } };
      },
      confirm: async ({ alert }) => this.#step(`confirm ${alert}`),
      freshen: async () => {
        this.#step('freshen');
        return this.freshened;
      },
      noteSent: (alert, write) => void this.sent.set(alert, write),
      reportReachability: (isReached) => this.calls.push(isReached ? 'reached' : 'unreached'),
      mayContinue: () => this.isReachable,
      checkMayWrite: () => {
        if (!this.mayWrite) throw failing('not-leading');
      },
    };
  }
}

describe('a batch', () => {
  it('is paid for ahead: its PATCHes, the proof, and the fresh list where something is deactivated', async () => {
    const reserved = async (pages: number, ...actions: Action[]) => {
      const rig = new Rig({ pages });
      await rig.apply(...actions);
      return rig.calls[0];
    };
    expect(await reserved(1, on('A'), on('B'))).toBe('reserve 3');
    expect(await reserved(3, on('A'), on('B'))).toBe('reserve 5');
    expect(await reserved(3, off('A'), on('B'))).toBe('reserve 8');
  });

  it('asks again in the tick of an activation, and enters and confirms a deactivation before', async () => {
    const rig = new Rig();
    expect(await rig.apply(on('A'), off('B'))).toEqual({ count: 2, outdated: 0, error: undefined });
    expect(rig.calls).toEqual([
      'reserve 4',
      'check A',
      'patch A true',
      'ended team/prod activate sent',
      'reached',
      'check B',
      'enter B',
      'slot',
      'confirm B',
      'freshen',
      'checkRecorded B',
      'patch B false',
      'ended team/prod deactivate sent',
      'leave',
      'reached',
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
    const rig = new Rig({ sent: new Map([['a', sentWrite({ tries: 3 })]]) });
    await rig.apply(on('A'), on('B'));
    expect([rig.sent.get('A')?.tries, rig.sent.get('B')?.tries]).toEqual([4, 1]);
  });

  it('continues after an action that nothing declares any more', async () => {
    const rig = new Rig();
    rig.failures.set('check A', failing('plan-outdated'));
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 1, outdated: 1, error: undefined });
    expect([...rig.sent.keys()]).toEqual(['B']);
  });

  it('continues after one alert that is refused', async () => {
    const rig = new Rig();
    rig.patches.set('A', { answer: failing('alert-refused') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 2, outdated: 0, error: undefined });
    expect(rig.sent.get('A')?.failure).toEqual({
      kind: 'Refused',
      serviceCode: 'Nope',
      retryAtMs: nowMs + 4 * minuteMs,
    });
    expect(rig.calls).toContain('ended team/prod activate failed');
  });

  it('ends after a refused credential, which concerns what follows too', async () => {
    const rig = new Rig();
    rig.patches.set('A', { answer: failing('service-denied') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 1, outdated: 0, error: undefined });
    expect(rig.sent.get('A')?.failure?.kind).toBe('Refused');
    expect([...rig.sent.keys()]).toEqual(['A']);
  });

  it.each(['service-unreachable', 'service-protocol'] as const)(
    'remembers a PATCH that met %s, which may have been applied, and backs off',
    async (code) => {
      const rig = new Rig({ sent: new Map([['a', sentWrite({ tries: 2 })]]) });
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
    const rig = new Rig();
    rig.answerMs = 5000;
    rig.patches.set('A', patch);
    await rig.apply(on('A'));
    expect(rig.sent.get('A')?.sentAtMs).toBe(nowMs + afterMs);
  });

  it('ends once nothing more is to be sent before a list', async () => {
    const rig = new Rig();
    rig.isReachable = false;
    expect(await rig.apply(on('A'), on('B'))).toMatchObject({ count: 1 });
  });

  it('ends when it is no longer awaited, after the PATCH in flight', async () => {
    const rig = new Rig();
    rig.waitSignal.abort();
    expect(await rig.apply(on('A'), on('B'))).toMatchObject({ count: 1, error: undefined });
  });

  it.each(['service-busy', 'kube-unreachable'] as const)(
    'is ended by %s, which concerns more than one alert',
    async (code) => {
      const rig = new Rig();
      rig.patches.set('B', { beforeWrite: failing(code) });
      expect(await rig.apply(on('A'), on('B'), on('C'))).toEqual({ count: 1, outdated: 0, error: code });
      expect([...rig.sent.keys()]).toEqual(['A']);
    },
  );

  it('sends nothing while this process may not write', async () => {
    const rig = new Rig();
    rig.mayWrite = false;
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 0, outdated: 0, error: 'not-leading' });
    expect(rig.calls.some((each) => each.startsWith('patch'))).toBe(false);
  });

  it('that is stopped ends, one whose requests did not suffice is planned again', async () => {
    const rig = new Rig();
    rig.patches.set('A', { beforeWrite: failing('stopped') });
    expect(await rig.apply(on('A'), on('B'))).toEqual({ count: 1, outdated: 1, error: undefined });
    const stopped = new Rig();
    stopped.patches.set('A', { beforeWrite: failing('stopped') });
    stopped.life.abort();
    expect(await stopped.apply(on('A'), on('B'))).toEqual({ count: 0, outdated: 0, error: 'stopped' });
  });

  it('gives its requests back when something fails that is no failure of the service', async () => {
    const rig = new Rig();
    rig.failures.set('patch A true', new TypeError('a bug'));
    expect(await rig.apply(on('A'))).toEqual({ rejected: 'a bug' });
    expect(rig.calls.at(-1)).toBe('release');
  });
});

describe('a deactivation', () => {
  it.each(['enter', 'slot', 'confirm', 'freshen', 'checkRecorded'])(
    'whose %s fails is not sent, and leaves no entry behind',
    async (step) => {
      const rig = new Rig();
      const what = ['slot', 'freshen'].includes(step) ? step : `${step} A`;
      rig.failures.set(what, failing('plan-outdated'));
      expect(await rig.apply(off('A'))).toEqual({ count: 0, outdated: 1, error: undefined });
      expect(rig.calls.some((each) => each.startsWith('patch') || each.startsWith('count'))).toBe(false);
      expect(rig.calls.includes('undo A')).toBe(step !== 'enter');
      expect(rig.calls.includes('leave')).toBe(!['enter', 'slot'].includes(step));
    },
  );

  it('is confirmed again after a fresh list that took long', async () => {
    const rig = new Rig();
    rig.freshened = 'Slowly';
    await rig.apply(off('A'));
    const steps = rig.calls.filter((each) => /^(confirm|freshen|patch)/.test(each));
    expect(steps).toEqual(['confirm A', 'freshen', 'confirm A', 'patch A false']);
  });

  it('that nothing declares any more is not even entered', async () => {
    const rig = new Rig();
    rig.failures.set('check A', failing('plan-outdated'));
    await rig.apply(off('A'));
    expect(rig.calls).toEqual(['reserve 3', 'check A']);
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
    const rig = new Rig();
    rig.patches.set('A', patch);
    await rig.apply(off('A'));
    expect(rig.calls.includes('undo A')).toBe(isUndone);
  });

  it.each<[string, SentWrite | undefined, Patch, true | undefined]>([
    ['none before', undefined, { beforeWrite: failing('service-unreachable') }, true],
    [
      'one that was written',
      sentWrite({ isActive: false }),
      { beforeWrite: failing('service-unreachable') },
      undefined,
    ],
    [
      'one that was never written either',
      sentWrite({ isActive: false, neverWritten: true }),
      { beforeWrite: failing('service-unreachable') },
      true,
    ],
    ['one in the other direction', sentWrite(), { beforeWrite: failing('service-unreachable') }, true],
    ['none before, and it was written', undefined, { answer: failing('service-unreachable') }, undefined],
  ])('that fails after %s is known to be never written, or not', async (_, before, patch, expected) => {
    const rig = new Rig({ sent: new Map(before && [['a', before]]) });
    rig.patches.set('A', patch);
    await rig.apply(off('A'));
    expect(rig.sent.get('A')?.neverWritten).toBe(expected);
  });
});
