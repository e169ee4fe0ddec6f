// An attempt over fakes, which records what happens before and after each PATCH, in order.
import type { CodedError } from '../../../src/lib/errors.ts';
import type { PatchOptions } from '../../../src/operator/alert-client/alert-client.ts';
import { newConnectionState } from '../../../src/operator/connection/connection-state.ts';
import type { Action } from '../../../src/operator/decide/decisions.ts';
import type { ScopeEvent } from '../../../src/operator/decide/scope-state.ts';
import type { PendingWrite } from '../../../src/operator/decide/writes.ts';
import { type Attempt, sendBatch } from '../../../src/operator/scope/send.ts';
import { connection, minuteMs, nowMs, policy } from '../builders/objects.ts';

/** What of a PATCH fails: before it is written, or its response. */
export interface Patch {
  readonly beforeWrite?: CodedError;
  readonly answer?: CodedError;
}

const dismissing = policy({ name: 'off' });

export class FakeAttempt {
  /** Everything that happens, in order. */
  readonly calls: string[] = [];
  /** The writes that the state of the scope has, by alert. */
  readonly sent = new Map<string, PendingWrite>();
  readonly patches = new Map<string, Patch>();
  /** The policies that exist, by key. */
  readonly policies = new Map([['team/off', dismissing]]);
  /** What a step fails with, such as `enter A`. */
  readonly failures = new Map<string, Error>();
  /** Called at each step as well. */
  onStep: (what: string) => void = () => undefined;
  /** Wall clock and monotonic clock. */
  nowMs = nowMs;
  /** How long a response, or a failure to send, takes. */
  answerMs = 0;
  pages = 1;
  isFresh = true;
  /** How long the fresh list takes. */
  listMs = 0;
  readonly life = new AbortController();
  readonly waitSignal = new AbortController();

  apply(...actions: Action[]) {
    return sendBatch(this.#attempt(), actions).then(
      ({ count, isWhole, error }) => ({ count, isWhole, error: error?.code }),
      (error: Error) => ({ rejected: error.message }),
    );
  }

  #step(what: string): void {
    this.calls.push(what);
    this.onStep(what);
    const failure = this.failures.get(what);
    if (failure) throw failure;
  }

  #attempt(): Attempt {
    const attempt = {
      context: {
        deps: this.#deps(),
        runtime: this.#runtime(),
        ref: { connection: 'team/prod', scope: 's' },
        urgency: 'resync',
        signal: this.life.signal,
        waitSignal: this.waitSignal.signal,
      },
      gathered: {
        ref: { connection: 'team/prod', scope: 's' },
        policies: [{ key: 'team/off', policy: dismissing }],
        connection: connection(),
        intervalMs: minuteMs,
      },
      client: this.#fakeClient(),
      session: this.#session(),
    };
    return attempt as unknown as Attempt;
  }

  #deps() {
    const entry = (alert: string) => ({ scope: 's', alert, policy: 'team/off', since: '2026-01-01T00:00:00Z' });
    return {
      clock: { now: () => this.nowMs, monotonic: () => this.nowMs },
      observer: { actionEnded: (...facts: string[]) => this.calls.push(`ended ${facts.join(' ')}`) },
      cluster: {
        policies: this.policies,
        readPolicy: async () => {
          this.#step('confirm');
          return dismissing;
        },
        readConnection: async () => {
          const { metadata, status, ...rest } = connection();
          const finalizers = ['rolealerts.dev/dismissals'];
          return {
            ...rest,
            metadata: { ...metadata, finalizers },
            status: { ...status, dismissals: ['A', 'B', 'C'].map(entry) },
          };
        },
      },
      mayWrite: () => true,
    };
  }

  #runtime() {
    return {
      state: () => ({ sent: new Map([...this.sent].map(([alert, write]) => [alert.toLowerCase(), write])) }),
      step: (_: string, event: ScopeEvent) => {
        if (event.kind === 'Sent') this.sent.set(event.alert, event.write);
      },
      apply: ({ kind }: { kind: string }) => this.calls.push(kind === 'PatchUnreached' ? 'unreached' : 'reached'),
      connection: newConnectionState,
      statusWriter: {
        ledger: { patchAccepted: () => undefined },
        recordDismissal: async ({ alert }: { alert: string }) => {
          this.#step(`enter ${alert}`);
          const record = { at: '2026-01-01T00:00:00Z', namespace: 'team', scope: 's', alert };
          return { cancel: () => this.#step(`undo ${alert}`), sent: { record, sentMs: 0 } };
        },
      },
    };
  }

  #fakeClient() {
    return {
      reserve: async (requests: number) => {
        this.#step(`reserve ${requests}`);
        return { use: () => true, release: () => this.#step('release') };
      },
      acquirePermit: async () => {
        this.#step('slot');
        return { release: () => this.#step('leave') };
      },
      listAlerts: async () => {
        this.#step('list');
        this.nowMs += this.listMs;
        return { alerts: [], pages: 1 };
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
    };
  }

  #session() {
    return {
      pages: this.pages,
      isFresh: this.isFresh,
      check: ({ alert }: Action) => this.#step(`check ${alert}`),
      checkRecorded: ({ alert }: Action) => this.#step(`checkRecorded ${alert}`),
      plan: () => this.calls.push('plan'),
    };
  }
}
