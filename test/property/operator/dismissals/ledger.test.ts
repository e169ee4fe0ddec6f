// The promise that nothing stays inactive without a current declaration, for every order of edits, restarts and deletions, beside a
// service that loses responses, applies late and lists what was true some seconds ago.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { alertName, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld, type SentRequest } from '../../../support/rigs/controller-world.ts';

const hourMs = 3_600_000;

const fates = fc.array(
  fc.record<PatchFate>({
    kind: fc.constantFrom('answered', 'answered', 'answer lost', 'refused', 'never arrived'),
    delayMs: fc.constantFrom(0, 0, 2000, 40_000),
    lagMs: fc.constantFrom(0, 0, 3000, 20_000),
  }),
  { minLength: 1, maxLength: 6 },
);

const names = fc.constantFrom('one', 'two');
const acts = fc.array(
  fc.record({
    act: fc.oneof(
      fc.record({ kind: fc.constantFrom('dismiss', 'dismiss', 'undismiss', 'request'), name: names }),
      fc.record({ kind: fc.constant('grant'), to: fc.constantFrom('Allow', 'Deny') }),
      fc.record({ kind: fc.constant('step'), ms: fc.integer({ min: -hourMs, max: hourMs }) }),
      fc.record({ kind: fc.constantFrom('activate', 'restart', 'delete', 'make') }),
    ),
    waitMs: fc.constantFrom(0, 500, 3000, 20_000, 100_000, 400_000),
  }),
  { maxLength: 20, size: 'max' },
);
type Step = typeof acts extends fc.Arbitrary<(infer S)[]> ? S : never;

/** True when the ledger went with its connection and its process: no operator can know of the alert any more. */
type Forgotten = boolean;

async function play(world: LossyWorld, steps: readonly Step[]): Promise<Forgotten> {
  let isReactivating = false;
  let isForgotten = false;
  for (const [index, { act, waitMs }] of steps.entries()) {
    if (act.kind === 'delete') isReactivating = true;
    if (act.kind === 'restart' && isReactivating) isForgotten = true;
    await perform(world, act, String(index));
    await world.advance(waitMs);
  }
  return isForgotten;
}

async function perform(world: LossyWorld, act: Step['act'], value: string): Promise<void> {
  if ('name' in act) {
    if (act.kind === 'dismiss') world.dismiss(act.name);
    else if (act.kind === 'undismiss') world.undismiss(act.name);
    else world.request(act.name, value);
  } else if ('to' in act) world.grant(act.to);
  else if ('ms' in act) world.stepWall(act.ms);
  else if (act.kind === 'restart') await world.restart();
  else if (act.kind === 'delete') world.removeConnection();
  else if (act.kind === 'make') world.makeConnection();
  else world.activateByOthers(0);
}

test('what the operator deactivated is inactive only while a dismissal declares it, and recorded then', async () => {
  await fc.assert(
    fc.asyncProperty(fates, acts, async (given, steps) => {
      const world = new LossyWorld(given);
      const isForgotten = await play(world, steps);
      world.heal();
      await world.advance(3 * hourMs);
      const { isDismissed, entries } = world;
      const isInactive = world.isOffByUs && !isForgotten;
      expect({ isDismissed, entries }).toSatisfy(
        () => (isDismissed && entries === 1) || (!isInactive && entries === 0),
      );
      expect(await world.stop()).toBe(0);
    }),
    { numRuns: 150 },
  );
});

// An operator with a service that loses responses, applies PATCHes late and lists a state of some seconds ago, with one alert, one
// connection and two policies that dismiss it. It knows what is true, and who deactivated the alert last.

export interface PatchFate {
  readonly kind: 'answered' | 'refused' | 'answer lost' | 'never arrived';
  /** From the request to its effect. */
  readonly delayMs: number;
  /** From the effect to the lists that show it. */
  readonly lagMs: number;
}

interface Pending {
  readonly atMs: number;
  readonly run: () => void;
}

const scope = 'subscriptions/a';
const key = 'team/prod';
const clean: PatchFate = { kind: 'answered', delayMs: 0, lagMs: 0 };

export class LossyWorld {
  #world = new ControllerWorld();
  #startedMs = 0;
  #pending = new Set<Pending>();
  #fates: readonly PatchFate[];
  #patches = 0;
  #generation = 1;
  #connections = 0;
  /** The flag at the service itself. */
  isActive = true;
  /** True while the alert is inactive because the operator deactivated it. */
  isOffByUs = false;

  constructor(fates: readonly PatchFate[]) {
    this.#fates = fates;
    this.#world.live.set(scope, [firing(['a'])]);
    this.#wire();
    this.makeConnection();
    this.#world.controller.start();
  }

  get entries(): number {
    return this.#world.connections.get(key)?.status?.dismissals?.length ?? 0;
  }

  /** True when a policy and its connection's grant keep the alert inactive. */
  get isDismissed(): boolean {
    const grant = this.#world.connections.get(key)?.spec.deactivation;
    return grant === 'Allow' && [...this.#world.policies.list()].length > 0;
  }

  dismiss(name: string): void {
    this.#world.apply(this.#policy(name));
  }

  undismiss(name: string): void {
    if (this.#world.policies.get(`team/${name}`)) this.#world.remove(this.#policy(name));
  }

  request(name: string, value: string): void {
    const now = this.#world.policies.get(`team/${name}`);
    const annotations = { 'rolealerts.dev/requestedAt': value };
    if (now) this.#world.apply({ ...now, metadata: { ...now.metadata, annotations } });
  }

  grant(deactivation: 'Allow' | 'Deny'): void {
    const now = this.#world.connections.get(key);
    if (!now) return;
    const metadata = { ...now.metadata, generation: now.metadata.generation + 1 };
    this.#world.apply({ ...now, metadata, spec: { ...now.spec, deactivation } });
  }

  makeConnection(): void {
    if (this.#world.connections.get(key)) return;
    const made = connection();
    this.#connections++;
    this.#world.apply({ ...made, metadata: { ...made.metadata, uid: `uid-${this.#connections}` } });
  }

  removeConnection(): void {
    const now = this.#world.connections.get(key);
    if (now) this.#world.remove(now);
  }

  activateByOthers(lagMs: number): void {
    this.#set(true, lagMs);
  }

  stepWall(ms: number): void {
    this.#world.clock.stepWall(ms);
  }

  /** Another process takes over, with nothing but what the objects say. */
  async restart(): Promise<void> {
    const before = this.#world;
    const stopped = before.controller.stop(0);
    await before.clock.advance(0);
    await stopped;
    this.#startedMs += before.clock.monotonic();
    this.#world = new ControllerWorld();
    this.#world.clock.stepWall(before.clock.now() - this.#world.clock.now());
    this.#world.live.set(scope, before.live.get(scope) ?? []);
    for (const each of [...before.connections.list(), ...before.policies.list()]) this.#world.apply(each);
    this.#wire();
    for (const each of this.#pending) this.#arm(each);
    this.#world.controller.start();
  }

  /** From now on every PATCH takes at once. */
  heal(): void {
    this.#fates = [clean];
  }

  advance(ms: number): Promise<void> {
    return this.#world.clock.advance(ms);
  }

  async stop(): Promise<number> {
    const stopped = this.#world.controller.stop(0);
    await this.#world.clock.advance(0);
    await stopped;
    return this.#world.clock.pendingTimers;
  }

  #policy(name: string): RoleAlertPolicy {
    this.#generation++;
    return policy({
      name,
      metadata: { generation: this.#generation },
      spec: {
        interval: '5m',
        alerts: [inactive({ incidents: ['a'] })],
        damping: { maxDeactivations: 100, window: '1h' },
      },
    });
  }

  #wire(): void {
    this.#world.doesStick = false;
    this.#world.onRequest = (request) => this.#meet(request);
  }

  #meet({ kind, isActive = true }: SentRequest): void {
    if (kind !== 'patch') return;
    const fate = this.#fates[this.#patches % this.#fates.length] ?? clean;
    this.#patches++;
    if (fate.kind === 'refused') throw new AlertsError('alert-refused', 'refused');
    if (fate.kind === 'never arrived') throw new AlertsError('service-unreachable', 'reset before the request arrived');
    if (fate.delayMs === 0) this.#set(isActive, fate.lagMs, true);
    else this.#after(fate.delayMs, () => this.#set(isActive, fate.lagMs, true));
    if (fate.kind === 'answer lost') throw new AlertsError('service-unreachable', 'reset after the request arrived');
  }

  #set(isActive: boolean, lagMs: number, isByUs = false): void {
    if (this.isActive !== isActive) this.isOffByUs = !isActive && isByUs;
    this.isActive = isActive;
    this.#after(lagMs, () => this.#world.turn(scope, alertName, this.isActive));
  }

  #after(delayMs: number, run: () => void): void {
    const pending = { atMs: this.#startedMs + this.#world.clock.monotonic() + delayMs, run };
    this.#pending.add(pending);
    this.#arm(pending);
  }

  /** What was sent takes its effect whichever process runs by then. */
  #arm(pending: Pending): void {
    const { clock } = this.#world;
    clock.setTimer(pending.atMs - this.#startedMs - clock.monotonic(), () => {
      if (clock !== this.#world.clock || !this.#pending.delete(pending)) return;
      pending.run();
    });
  }
}
