// The reactivation of a deleted connection's dismissals over a service in a map, on a manual clock: its requests, counts and logs.
import type { AlertClient, CallOptions, PatchOptions } from '../../../src/alert-client/alert-client.ts';
import type { Alert } from '../../../src/alerts/types.ts';
import { Ledger } from '../../../src/controller/ledger.ts';
import type { Observer } from '../../../src/controller/ports.ts';
import { Reactivation } from '../../../src/controller/reactivation.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { errorOf, type ErrorCode } from '../builders/errors.ts';
import { firing } from '../builders/objects.ts';
import { ManualClock } from './manual-clock.ts';

interface Sent {
  /** `list SCOPE` or `patch SCOPE ALERT`. */
  readonly what: string;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
}

interface Logged {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const since = '2025-12-31T00:00:00Z';

export class ReactivationRig {
  readonly clock = new ManualClock();
  readonly ledger = new Ledger(this.clock);
  readonly live = new Map<string, Alert[]>();
  readonly requests: Sent[] = [];
  /** `CONNECTION DIRECTION RESULT` of each PATCH that ended. */
  readonly counted: string[] = [];
  readonly logged: Logged[] = [];
  readonly asked = new AbortController();
  readonly cut = new AbortController();
  /** Codes that the next requests fail with, by `what`; `undefined` lets one through. */
  readonly failures = new Map<string, (ErrorCode | undefined)[]>();
  /** Codes that every request fails with, by scope. */
  readonly broken = new Map<string, ErrorCode>();
  retryAfterMs: number | undefined;
  /** What [0, 1) comes to: 0.5 moves no delay. */
  random = () => 0.5;
  doesStick = true;
  checkMayWrite: () => void = () => undefined;
  /** Awaited while a request is in progress. */
  during: (what: string, signal: AbortSignal) => Promise<void> = async () => undefined;
  readonly priorities = new Set<string>();
  hasEnded = false;

  /** Alerts that the ledger names at a scope, and the service shows inactive. */
  deactivated(scope: string, ...names: string[]): this {
    this.live.set(
      scope,
      names.map((name) => firing(['a'], { name, isActive: false })),
    );
    for (const alert of names) this.ledger.takeOver({ scope, alert, policy: 'team/gone', since });
    return this;
  }

  start(workers = 4): this {
    const stop = { asked: this.asked.signal, cut: this.cut.signal };
    const target = { connection: 'team/prod', client: this.#client(), ledger: this.ledger };
    const reactivation = new Reactivation({ deps: this.#deps(), target, workers, stop });
    void reactivation.run().then(() => (this.hasEnded = true));
    return this;
  }

  times(what: string): number[] {
    return this.requests.filter((each) => each.what === what).map(({ atMs }) => atMs);
  }

  what(): string[] {
    return this.requests.map(({ what }) => what);
  }

  messages(): string[] {
    return this.logged.map(({ message }) => message);
  }

  #deps() {
    const log = (level: Logged['level']) => (facts: object, message: string) =>
      void this.logged.push({ level, message, facts: { ...facts } });
    const observer = { actionEnded: (...facts: string[]) => void this.counted.push(facts.join(' ')) };
    return {
      ended: async () => undefined,
      clock: this.clock,
      random: { next: () => this.random() },
      log: { ...silentLogger, info: log('info'), warn: log('warn'), error: log('error') },
      observer: observer as unknown as Observer,
      checkMayWrite: () => this.checkMayWrite(),
    };
  }

  async #send(what: string, scope: string, { priority, signal }: CallOptions): Promise<void> {
    this.requests.push({ what, atMs: this.clock.monotonic() });
    this.priorities.add(priority);
    await this.during(what, signal);
    const code = this.failures.get(what)?.shift() ?? this.broken.get(scope);
    if (code) throw errorOf(code, 'made to fail', this.#facts());
  }

  #facts() {
    return { detail: 'why', ...(this.retryAfterMs !== undefined && { retryAfterMs: this.retryAfterMs }) };
  }

  #client(): AlertClient {
    const client = {
      listAlerts: async (scope: string, call: CallOptions) => {
        await this.#send(`list ${scope}`, scope, call);
        return { alerts: this.live.get(scope) ?? [], pages: 1 };
      },
      patchAlert: async (scope: string, name: string, isActive: boolean, call: PatchOptions) => {
        call.beforeSend();
        await this.#send(`patch ${scope} ${name}`, scope, call);
        if (!this.doesStick) return 'sent';
        const alerts = this.live.get(scope) ?? [];
        this.live.set(
          scope,
          alerts.map((each) => (each.name === name ? { ...each, isActive } : each)),
        );
        return 'sent';
      },
    };
    return client as unknown as AlertClient;
  }
}
