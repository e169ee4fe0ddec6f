// One round of releasing the dismissals of a deleted connection: what it requests, counts and logs, and when the next one is.
import { describe, expect, test } from 'vitest';

import { firing, prodFields } from '../../support/builders/objects.ts';
import { ReactivationRig } from '../../support/rigs/reactivation-rig.ts';

const second = 1000;
const minuteMs = 60 * second;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const notYet = 'alerts not re-activated yet, their connection was deleted';
const reactivated = 'alert re-activated, its connection was deleted';

const names = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);
const gapsOf = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

describe('one round', () => {
  test('activates, and ends when a list two minutes later shows it', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A').start();
    await rig.clock.advance(0);
    expect(rig.what()).toEqual(['list s', 'patch s A', 'list s']);
    expect([rig.counted, [...rig.priorities]]).toEqual([['team/prod activate sent'], ['high']]);
    expect(rig.logged).toEqual([
      { level: 'info', message: reactivated, facts: { ...prodFields, scope: 's', alert: 'A' } },
    ]);
    await rig.clock.advance(hourMs);
    expect([rig.hasEnded, rig.clock.pendingTimers, rig.ledger.size]).toEqual([true, 0, 0]);
    expect(rig.logged).toHaveLength(1);
  });

  test('sends at most eight PATCHes behind one list', async () => {
    const rig = new ReactivationRig().deactivated('s', ...names(10)).start();
    await rig.clock.advance(0);
    const patches = names(10).map((name) => `patch s ${name}`);
    expect(rig.what()).toEqual(['list s', ...patches.slice(0, 8), 'list s', ...patches.slice(8), 'list s']);
  });

  test('lists a PATCH without effect ever more rarely for two minutes, and repeats it every seven', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    rig.doesStick = false;
    rig.start();
    await rig.clock.advance(14 * minuteMs);
    expect(rig.times('list s').slice(0, 9)).toEqual([0, 0, 1, 3, 7, 15, 31, 63, 120].map((each) => each * second));
    expect(rig.times('patch s A')).toEqual([0, 7 * minuteMs, 14 * minuteMs]);
  });

  test('ends at a PATCH without a response, which a list has to prove before the next one', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A', 'B');
    rig.failures.set('patch s A', ['service-unreachable']);
    rig.start();
    await rig.clock.advance(0);
    expect(rig.what()).toEqual(['list s', 'patch s A']);
    expect(rig.counted).toEqual(['team/prod activate failed']);
    await rig.clock.advance(5 * minuteMs);
    expect(rig.what().slice(0, 4)).toEqual(['list s', 'patch s A', 'list s', 'patch s A']);
    expect(rig.messages()).toContain(reactivated);
    expect(rig.hasEnded).toBe(true);
  });

  test('tries an alert without a response after 1 s, 2 s, 4 s …', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    rig.failures.set('patch s A', Array(6).fill('service-unreachable'));
    rig.start();
    await rig.clock.advance(2 * minuteMs);
    expect(gapsOf(rig.times('patch s A'))).toEqual([1, 2, 4, 8, 16, 32].map((each) => each * second));
  });

  test('continues after an alert that is refused, which is retried after twenty minutes', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A', 'B');
    rig.failures.set('patch s A', Array(2).fill('alert-refused'));
    rig.start();
    await rig.clock.advance(hourMs);
    expect(rig.what().slice(0, 4)).toEqual(['list s', 'patch s A', 'patch s B', 'list s']);
    expect(rig.times('patch s A')).toEqual([0, 20 * minuteMs, 40 * minuteMs]);
    // Every five minutes meanwhile: it may be active for another reason.
    expect(gapsOf(rig.times('list s')).every((gap) => gap <= 5 * minuteMs)).toBe(true);
    expect(rig.counted).toEqual([
      'team/prod activate failed',
      'team/prod activate sent',
      'team/prod activate failed',
      'team/prod activate sent',
    ]);
  });

  test('sends no PATCH while this process may not write, and counts it as failed', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    let mayWrite = false;
    rig.checkMayWrite = () => {
      if (!mayWrite) throw new Error('not now');
    };
    rig.start();
    await rig.clock.advance(0);
    expect([rig.what(), rig.counted, rig.messages()]).toEqual([['list s'], ['team/prod activate failed'], [notYet]]);
    expect(rig.logged[0]?.facts).toMatchObject({ code: 'internal', error: 'not now' });
    mayWrite = true;
    await rig.clock.advance(second);
    expect(rig.what()).toEqual(['list s', 'list s', 'patch s A', 'list s']);
  });
});

describe('alerts that the service does not list', () => {
  test('are asked for hourly while nothing else is left', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A');
    rig.live.set('s', []);
    rig.start();
    await rig.clock.advance(2 * dayMs);
    expect(rig.times('list s')).toEqual(Array.from({ length: 25 }, (_, hour) => hour * hourMs));
    expect(rig.logged).toEqual([
      {
        level: 'warn',
        message: 'dismissal dropped, its alert is gone',
        facts: { ...prodFields, scope: 's', alert: 'A' },
      },
    ]);
    expect(rig.hasEnded).toBe(true);
  });

  test('wait for no PATCH of another one', async () => {
    const rig = new ReactivationRig().deactivated('s', 'A', 'B');
    rig.live.set('s', [firing(['a'], { name: 'A', isActive: false })]);
    rig.doesStick = false;
    rig.start();
    await rig.clock.advance(hourMs);
    expect(rig.times('patch s A')).toEqual(Array.from({ length: 9 }, (_, round) => round * 7 * minuteMs));
  });
});
