// Three connections to one service, any order of edits, failures, drift and time: no competing claim is overruled, and no other
// claim changes the end state.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { PolicyAlert } from '../../../src/policy/generated/role-alert-policy.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { active, alertName, connection, firing, inactive, policy } from '../../support/builders/objects.ts';
import { NeighboursWorld, scope } from '../../support/rigs/neighbours-world.ts';

const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];
const minuteMs = 60_000;
const settledMs = 90 * minuteMs;

type Health = ErrorCode | 'works';
/** Those that end a claim, and those that do not. */
const ends = [
  'service-denied',
  'credential-missing',
  'credential-not-allowed',
  'scope-forbidden',
  'scope-not-found',
] as const;
const outages = [
  'service-unreachable',
  'service-busy',
  'tls-failed',
  'token-endpoint-failed',
  'service-protocol',
] as const;

const dismissal = inactive({ until: '2026-01-20T00:00:00Z', maxIncidents: 9 });
const says: Readonly<Record<string, { alerts: PolicyAlert[]; unlisted?: object; mode?: string; suspend?: boolean }>> = {
  active: { alerts: [active] },
  inactive: { alerts: [dismissal] },
  guard: { alerts: [], unlisted: { state: 'Active', minSeverity: 'Low' } },
  nothing: { alerts: [] },
  observing: { alerts: [active], mode: 'Observe' },
  suspended: { alerts: [active], suspend: true },
};

type Event =
  | { readonly kind: 'policy'; readonly of: Name; readonly say: keyof typeof says }
  | { readonly kind: 'no policy'; readonly of: Name }
  | { readonly kind: 'health'; readonly of: Name; readonly health: Health }
  | { readonly kind: 'credential' | 'replaced' | 'grant'; readonly of: Name }
  | { readonly kind: 'flip' }
  | { readonly kind: 'time'; readonly ms: number };

const anyName = fc.constantFrom(...names);
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('policy' as const), of: anyName, say: fc.constantFrom(...Object.keys(says)) }),
  fc.record({ kind: fc.constant('no policy' as const), of: anyName }),
  fc.record({
    kind: fc.constant('health' as const),
    of: anyName,
    health: fc.constantFrom<Health>('works', 'works', ...ends, ...outages),
  }),
  fc.record({ kind: fc.constantFrom('credential' as const, 'replaced' as const, 'grant' as const), of: anyName }),
  fc.constant({ kind: 'flip' as const }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(0, 1000, 7000, minuteMs, 20 * minuteMs) }),
);

/** One connection as the world has it, and what it has proven there. */
interface Side {
  health: Health;
  generation: number;
  uid: number;
  isGranting: boolean;
  say: string | undefined;
  isProven: boolean;
}

class Play {
  readonly world = new NeighboursWorld();
  readonly sides: Record<Name, Side>;
  readonly problems: string[] = [];
  /** Whose deactivation the latest change of the flag was; undefined when it was another change. */
  by: Name | undefined;
  #generation = 1;

  constructor() {
    const side = (): Side => ({
      health: 'works',
      generation: 1,
      uid: 1,
      isGranting: true,
      say: undefined,
      isProven: false,
    });
    this.sides = { a: side(), b: side(), c: side() };
    this.world.live.set(scope, [firing(['x'])]);
    for (const name of names) this.#applyConnection(name);
    this.world.onRequest = (request) => {
      const name = request.connection.split('/')[0] as Name;
      this.#answer(name, request.kind, request.isActive);
    };
    this.world.controller.start();
  }

  #answer(name: Name, kind: 'list' | 'patch', isActive: boolean | undefined): void {
    const side = this.sides[name];
    if (side.health !== 'works') {
      if ((ends as readonly string[]).includes(side.health)) side.isProven = false;
      throw errorOf(side.health, 'made to fail', side.health === 'service-busy' ? { retryAfterMs: minuteMs } : {});
    }
    if (kind === 'list') side.isProven = true;
    else this.by = isActive === false ? name : undefined;
    if (isActive !== false) return;
    for (const other of names) {
      if (other === name || !this.sides[other].isProven || !this.#wantsActive(other)) continue;
      this.problems.push(`${name} deactivates what ${other} wants active`);
    }
    if (this.sides[name].say !== 'inactive' || !this.sides[name].isGranting)
      this.problems.push(`${name} declares no dismissal`);
  }

  #wantsActive(name: Name): boolean {
    const { say } = this.sides[name];
    return say === 'active' || say === 'guard';
  }

  #applyConnection(name: Name): void {
    const { generation, uid, isGranting } = this.sides[name];
    const object = connection({
      auth: { tokenSecretRef: { name: `secret-${generation}`, key: 'token' } },
      deactivation: isGranting ? 'Allow' : 'Deny',
    });
    this.world.apply({
      ...object,
      metadata: { ...object.metadata, namespace: name, uid: `${name}-${uid}`, generation: ++this.#generation },
    });
  }

  #policyOf(name: Name, say: keyof typeof says) {
    const object = policy({ spec: says[say] as never });
    return {
      ...object,
      metadata: { ...object.metadata, namespace: name, uid: `policy-${name}`, generation: ++this.#generation },
    };
  }

  act(event: Event): void | Promise<void> {
    switch (event.kind) {
      case 'policy': {
        this.sides[event.of].say = event.say;
        const before = this.world.policies.get(`${event.of}/owners`);
        const next = this.#policyOf(event.of, event.say);
        this.world.apply(before?.status ? { ...next, status: before.status } : next);
        return;
      }
      case 'no policy': {
        this.sides[event.of].say = undefined;
        const there = this.world.policies.get(`${event.of}/owners`);
        if (there) this.world.remove(there);
        return;
      }
      case 'health':
        this.sides[event.of].health = event.health;
        return;
      case 'credential':
        this.sides[event.of].generation++;
        this.sides[event.of].isProven = false;
        this.#keepStatus(event.of);
        return;
      case 'grant':
        this.sides[event.of].isGranting = !this.sides[event.of].isGranting;
        this.#keepStatus(event.of);
        return;
      case 'replaced': {
        const there = this.world.connections.get(`${event.of}/prod`);
        if (there) this.world.remove(there);
        this.sides[event.of].uid++;
        if (this.by === event.of) this.by = undefined;
        this.sides[event.of].isProven = false;
        this.#applyConnection(event.of);
        return;
      }
      case 'flip':
        this.world.turn(scope, alertName, !(this.world.isActive ?? true));
        this.by = undefined;
        return;
      case 'time':
        return this.world.clock.advance(event.ms);
    }
  }

  /** An edit of a spec leaves the status. */
  #keepStatus(name: Name): void {
    const status = this.world.connections.get(`${name}/prod`)?.status;
    const store = this.world.connections;
    const replaceStatus = () => {
      const now = store.get(`${name}/prod`);
      if (now && status) store.objects.set(`${name}/prod`, { ...now, status });
    };
    this.#applyConnection(name);
    replaceStatus();
  }

  /** Outages end; what is refused stays refused. Every policy asks for a reconcile once more, as its interval would. */
  async settle(): Promise<void> {
    for (const name of names) {
      if ((outages as readonly string[]).includes(this.sides[name].health)) this.sides[name].health = 'works';
    }
    this.world.hasNewCredential = true;
    await this.world.clock.advance(4 * settledMs);
  }

  /** The expected end state; undefined when no policy competes, and no alert of ours has to be activated. */
  wanted(): boolean | undefined {
    const working = names.filter((name) => this.sides[name].health === 'works');
    if (working.some((name) => this.#wantsActive(name))) return true;
    const isDismissed = working.some((name) => this.sides[name].say === 'inactive' && this.sides[name].isGranting);
    if (isDismissed) return false;
    return this.by && this.sides[this.by].health === 'works' ? true : undefined;
  }
}

describe('connections to one service', () => {
  it('overrule no proven claim, and end as the proven claims want it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEvent, { maxLength: 25, size: 'max' }), async (events) => {
        const play = new Play();
        for (const event of events) await play.act(event);
        await play.settle();
        expect(play.problems).toEqual([]);
        expect(play.world.isActive).toBe(play.wanted() ?? play.world.isActive);
        for (const name of names) {
          const conditions = play.world.policies.get(`${name}/owners`)?.status?.conditions ?? [];
          const isWaiting = conditions.some(({ reason }) => /Verifying|WaitingFor/.test(reason));
          expect([name, isWaiting]).toEqual([name, false]);
        }
        await play.world.controller.stop(0);
      }),
      { numRuns: 100 },
    );
  });
});
