// Leadership, second by second: replicas around one Lease on a manual clock. After every step of every test no two of
// them may count themselves the holder at one moment.
import { describe, expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { LeaderElection } from '../../../../src/operator/kube/leader-election.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';
import { type Link, LeaseServer } from '../../../support/servers/lease-server.ts';

const second = 1000;

interface Replica {
  readonly name: string;
  readonly link: Link;
  readonly election: LeaderElection;
  readonly transitions: string[];
}

class Rig {
  readonly clock = new ManualClock();
  readonly server = new LeaseServer(this.clock);
  readonly replicas: Replica[] = [];

  start(name: string, link: Partial<Link> = {}): Replica {
    const whole: Link = { state: 'up', delayMs: 0, hasWatch: true, sent: [], ...link };
    const transitions: string[] = [];
    const say = (what: string) => void transitions.push(`${what} at ${Math.floor(this.clock.monotonic()) / second}`);
    const election = new LeaderElection({
      transport: this.server.connect(whole),
      namespace: 'system',
      name: 'rolealerts',
      identity: name,
      clock: this.clock,
      random: seededRandom(name.charCodeAt(0)),
      log: silentLogger,
      onAcquired: () => say('acquired'),
      onLost: () => say('lost'),
    });
    const replica = { name, link: whole, election, transitions };
    this.replicas.push(replica);
    election.start();
    return replica;
  }

  /** In steps of a tenth of a second. Two holders at one moment fail the test. */
  async pass(ms: number): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      await this.clock.advance(Math.min(100, ms - passedMs));
      const holders = this.holders();
      if (holders.length > 1) throw new Error(`${holders.join(' and ')} at ${this.clock.monotonic()}`);
    }
  }

  holders(): string[] {
    return this.replicas.filter(({ election }) => election.leftMs > 0).map(({ name }) => name);
  }

  /** Passes until the condition holds; how long that took, or Infinity. */
  async until(limitMs: number, isSo: () => boolean): Promise<number> {
    const startMs = this.clock.monotonic();
    while (!isSo() && this.clock.monotonic() - startMs < limitMs) await this.pass(100);
    return isSo() ? Math.floor(this.clock.monotonic() - startMs) : Infinity;
  }
}

async function twoReplicas(change: { a?: Partial<Link>; b?: Partial<Link> } = {}) {
  const rig = new Rig();
  const a = rig.start('a', change.a);
  await rig.pass(second);
  const b = rig.start('b', change.b);
  await rig.pass(9 * second);
  expect(rig.holders()).toEqual(['a']);
  return { rig, a, b, server: rig.server };
}

describe('acquiring', () => {
  test('the first replica creates the Lease and holds it', async () => {
    const rig = new Rig();
    const a = rig.start('a');
    await rig.pass(100);
    expect(a.transitions).toEqual(['acquired at 0']);
    expect(rig.server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 35,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('an abandoned Lease is taken after its whole duration, whatever its timestamps say', async () => {
    const rig = new Rig();
    const old = '2020-01-01T00:00:00.000000Z';
    rig.server.edit({ holderIdentity: 'x', leaseDurationSeconds: 35, renewTime: old, leaseTransitions: 4 });
    const a = rig.start('a');
    await rig.pass(34.9 * second);
    expect(a.transitions).toEqual([]);
    await rig.pass(second);
    expect(a.transitions).toHaveLength(1);
    expect(rig.server.lease?.spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5 });
  });

  test('waiting replicas respect a longer duration in the Lease', async () => {
    const rig = new Rig();
    rig.server.edit({ holderIdentity: 'x', leaseDurationSeconds: 60 });
    const a = rig.start('a');
    await rig.pass(59.9 * second);
    expect(a.transitions).toEqual([]);
    expect(await rig.until(second, () => a.transitions.length > 0)).toBeLessThanOrEqual(second);
  });

  test('a Lease without any fields is taken at once', async () => {
    const rig = new Rig();
    rig.server.edit({});
    const a = rig.start('a');
    await rig.pass(100);
    expect(a.transitions).toEqual(['acquired at 0']);
  });
});

describe('renewing', () => {
  test('takes one request every five seconds, and a waiting replica sends none', async () => {
    const { rig, a, b, server } = await twoReplicas();
    const [before, waiting] = [a.link.sent.length, b.link.sent.length];
    const { acquireTime } = server.lease?.spec ?? {};
    await rig.pass(60 * second);
    expect(a.link.sent.slice(before)).toEqual(Array(12).fill('update'));
    expect(b.link.sent.slice(waiting)).toEqual([]);
    expect(server.lease?.spec).toMatchObject({ acquireTime, leaseTransitions: 0 });
    expect(a.election.leftMs).toBeGreaterThanOrEqual(30 * second);
  });

  test('counts the time in which the machine slept, until the next renewal', async () => {
    const { rig, a } = await twoReplicas();
    rig.clock.stepWall(40 * second);
    expect(a.election.leftMs).toBe(0);
    await rig.pass(6 * second);
    expect(a.election.leftMs).toBeGreaterThan(25 * second);
    rig.clock.stepWall(-3600 * second);
    expect(a.election.leftMs).toBeLessThan(36 * second);
  });

  test('counts from before the renewal was sent', async () => {
    const { rig, a } = await twoReplicas();
    a.link.delayMs = 4 * second;
    await rig.pass(8 * second);
    const lefts = new Set<number>();
    await rig.until(20 * second, () => lefts.add(Math.round(a.election.leftMs / second)).size > 5);
    expect(Math.max(...lefts)).toBe(31);
  });

  test('a version that a label change made is read again, and counts as no renewal', async () => {
    const { rig, a, b, server } = await twoReplicas();
    server.label('team', 'x');
    await rig.pass(10 * second);
    expect(rig.holders()).toEqual(['a']);
    a.link.state = 'silent';
    const silentFromMs = rig.clock.monotonic();
    for (let i = 0; i < 3; i++) {
      await rig.pass(8 * second);
      server.label('round', String(i));
    }
    await rig.until(30 * second, () => b.transitions.length > 0);
    expect(rig.clock.monotonic() - silentFromMs).toBeLessThan(45 * second);
  });

  test('a step of the wall clock changes nothing, on either side', async () => {
    const { rig, a, b } = await twoReplicas();
    for (const hours of [24, -48, 24 * 365]) {
      rig.clock.stepWall(hours * 3600 * second);
      await rig.pass(60 * second);
    }
    expect(rig.holders()).toEqual(['a']);
    expect([a.transitions, b.transitions]).toEqual([['acquired at 0'], []]);
  });
});

describe('releasing', () => {
  test('a watching replica takes it at once', async () => {
    const { rig, a, b, server } = await twoReplicas();
    await a.election.stop();
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(await rig.until(second, () => b.transitions.length > 0)).toBeLessThanOrEqual(100);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 35, leaseTransitions: 1 });
    expect(a.transitions).toEqual(['acquired at 0']);
  });

  test('without a watch a waiting replica finds it with its next read', async () => {
    const { rig, a, b } = await twoReplicas({ b: { hasWatch: false } });
    await a.election.stop();
    expect(await rig.until(7 * second, () => b.transitions.length > 0)).toBeLessThanOrEqual(6 * second);
  });

  test('a waiting replica that stops leaves the Lease alone', async () => {
    const { rig, a, b, server } = await twoReplicas();
    await b.election.stop();
    await rig.pass(10 * second);
    expect(server.holders).toEqual(['a']);
    expect(a.election.leftMs).toBeGreaterThan(0);
  });

  test('stops after five seconds when the API server is unreachable', async () => {
    const { rig, a, b, server } = await twoReplicas();
    a.link.state = 'silent';
    const stopped = a.election.stop();
    await rig.pass(5 * second);
    await stopped;
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    expect(await rig.until(45 * second, () => b.transitions.length > 0)).toBeLessThan(45 * second);
  });
});

describe('losing', () => {
  test('after 30 seconds without a renewal the holder ends, and five seconds later another takes over', async () => {
    const { rig, a, b } = await twoReplicas();
    a.link.state = 'silent';
    const brokenAtMs = rig.clock.monotonic();
    await rig.pass(24.9 * second);
    expect(a.transitions).toHaveLength(1);
    await rig.until(6 * second, () => a.transitions.length > 1);
    expect(a.election.leftMs).toBe(0);
    expect(b.transitions).toEqual([]);
    await rig.until(20 * second, () => b.transitions.length > 0);
    expect(rig.clock.monotonic() - brokenAtMs).toBeLessThan(45 * second);
    a.link.state = 'up';
    await rig.pass(60 * second);
    expect(rig.holders()).toEqual(['b']);
    expect(a.transitions).toHaveLength(2);
  });

  test('a holder that finds another one in the Lease ends at once', async () => {
    const { rig, a, server } = await twoReplicas();
    server.edit({ holderIdentity: 'x' });
    await rig.clock.advance(100);
    expect(a.transitions).toEqual(['acquired at 0', 'lost at 10']);
    expect(a.election.leftMs).toBe(0);
  });
});

describe('a Lease that is deleted', () => {
  test('is created again by its holder, and no other replica takes it', async () => {
    const { rig, a, b, server } = await twoReplicas();
    server.remove();
    await rig.pass(60 * second);
    expect(rig.holders()).toEqual(['a']);
    expect([a.transitions.length, b.transitions.length]).toEqual([1, 0]);
  });
});

test('with links that fail at random there is never more than one holder, and in the end there is one', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed);
    const rig = new Rig();
    let started = 0;
    const names = 'abcdefghijklmnopqrstuvwxyz';
    const add = () => rig.start(names[started++ % names.length] + String(started));
    for (let i = 0; i < 3; i++) add();
    for (let round = 0; round < 25; round++) {
      for (const { link } of rig.replicas) {
        link.state = (['up', 'up', 'away', 'silent', 'deaf'] as const)[Math.floor(random.next() * 5)] ?? 'up';
        link.delayMs = random.next() < 0.3 ? random.next() * 7 * second : 0;
      }
      await rig.pass(random.next() * 20 * second);
      for (const [index, { transitions }] of rig.replicas.entries()) {
        if (!transitions.some((each) => each.startsWith('lost'))) continue;
        rig.replicas.splice(index, 1);
        add();
        break;
      }
    }
    for (const { link } of rig.replicas) Object.assign(link, { state: 'up', delayMs: 0 });
    await rig.pass(90 * second);
    const living = rig.replicas.filter(({ transitions }) => !transitions.some((each) => each.startsWith('lost')));
    expect(rig.holders(), `seed ${seed}`).toHaveLength(Math.min(living.length, 1));
  }
});
