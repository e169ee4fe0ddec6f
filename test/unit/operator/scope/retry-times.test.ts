// When a scope is reconciled again after a reconcile that failed, or whose plan was outdated before anything was sent.
import { describe, expect, test } from 'vitest';

import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { alert, connection, firing, inactive, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const scope = 'subscriptions/a';
const second = 1000;
const error = (code: ErrorCode, facts = {}) => errorOf(code, 'made to fail', facts);

function worldWith(object = policy(), change: ConstructorParameters<typeof ControllerWorld>[0] = {}): ControllerWorld {
  const world = new ControllerWorld(change);
  world.live.set(scope, [alert()]);
  world.apply(connection(), object);
  return world;
}

/** Milliseconds between the lists of the scope. */
function gaps({ requests }: ControllerWorld): number[] {
  const times = requests.filter(({ kind }) => kind === 'list').map(({ atMs }) => atMs);
  return times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
}

/** How far each is from what it would be without jitter, as a share of that. */
const deviations = (found: readonly number[], expected: (index: number) => number) =>
  found.map((gapMs, index) => Math.abs(gapMs / expected(index) - 1));

describe('an API server that takes no status', () => {
  test('is asked after 1, 2, 4, 8, 16 s, then every 25 s, each a fifth more or less', async () => {
    const world = worldWith();
    world.onStatusWrite = (kind) => {
      if (kind === 'policy') throw error('kube-unreachable');
    };
    await world.start(10 * minuteMs);
    const found = deviations(gaps(world), (index) => Math.min(second * 2 ** index, 25 * second));
    expect(found.length).toBeGreaterThan(20);
    expect(Math.max(...found)).toBeLessThanOrEqual(0.2);
    expect(new Set(world.results)).toEqual(new Set(['error']));
  });
});

describe('a plan that is outdated before anything is sent', () => {
  /** The API server always has a newer policy than the cache. */
  function neverAgreeing(): ControllerWorld {
    const quiet = policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } });
    const newer = { ...quiet, metadata: { ...quiet.metadata, generation: 2 } };
    const world = worldWith(quiet, { fence: (cluster) => ({ ...cluster, readPolicy: async () => newer }) });
    world.live.set(scope, [firing(['6f1c'])]);
    world.controller.start();
    return world;
  }

  test('is logged the first, second, fourth time …, and written to the policy every fourth time', async () => {
    const world = neverAgreeing();
    const writtenAfter: number[] = [];
    const outdated = () => world.infos.filter((line) => line.startsWith('plan outdated, nothing sent '));
    world.onStatusWrite = (kind) => {
      if (kind !== 'policy') return;
      writtenAfter.push(outdated().length);
      throw error('kube-conflict');
    };
    await world.clock.advance(minuteMs);
    expect(writtenAfter[0]).toBe(3);
    expect(world.results.slice(0, 3)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });
});
