// The scopes of one connection: how the last attempt on each ended, which fail alone, and whose turn a trial is.
import { describe, expect, it } from 'vitest';

import { Roster } from '../../../src/controller/roster.ts';
import { type Ending, endingOf, failureOf } from '../../../src/plan/failures.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';

const first = { next: () => 0 };
const last = { next: () => 0.999 };

/** Scopes with how they ended, one after another. */
function rosterOf(...ended: readonly (readonly [string, Ending])[]): Roster {
  const roster = new Roster();
  for (const [at, [scope, ending]] of ended.entries()) roster.ended(scope, ending, at);
  return roster;
}

describe('an attempt', () => {
  it.each<[ErrorCode | undefined, Ending]>([
    [undefined, 'listed'],
    ['service-denied', 'refused'],
    ['credential-missing', 'unusable'],
    ['tls-failed', 'unusable'],
    ['service-unreachable', 'unreached'],
    ['service-busy', 'busy'],
    ['service-rejected', 'answered'],
    ['scope-forbidden', 'answered'],
    ['service-protocol', 'garbled'],
  ])('that fails with %s is %s', (code, expected) => {
    expect(endingOf(code && failureOf(errorOf(code, 'x')))).toBe(expected);
  });
});

describe('a scope fails alone', () => {
  it.each<Ending>(['unreached', 'refused', 'busy'])('when another one was served since it began to be %s', (ending) => {
    const roster = rosterOf(['a', ending], ['b', 'listed']);
    if (ending === 'busy') roster.completed('b');
    expect([roster.isAlone('a', ending), roster.isAlone('b', ending), roster.others(ending)]).toEqual([true, false, 1]);
  });

  it('not when the other one was served before, or is gone', () => {
    expect(rosterOf(['b', 'listed'], ['a', 'unreached']).isAlone('a', 'unreached')).toBe(false);
    const roster = rosterOf(['a', 'unreached'], ['b', 'listed']);
    roster.leave('b');
    expect([roster.isAlone('a', 'unreached'), roster.others('unreached')]).toEqual([false, 1]);
  });

  it('in one way only, and never by a response of its own', () => {
    const roster = rosterOf(['a', 'unreached'], ['b', 'answered']);
    expect(roster.isAlone('a', 'unreached')).toBe(true);
    expect(
      (['refused', 'busy', 'listed', 'answered', 'unusable'] as const).map((ending) => roster.isAlone('a', ending)),
    ).toEqual(Array(5).fill(false));
  });

  it('no longer once the connection was changed', () => {
    const roster = rosterOf(['a', 'unreached'], ['c', 'refused'], ['b', 'listed']);
    roster.renew();
    expect([roster.isAlone('a', 'unreached'), roster.others('unreached'), roster.isUnrefused('c')]).toEqual([
      false,
      3,
      true,
    ]);
  });

  it('an unusable credential says nothing of the service', () => {
    const roster = rosterOf(['a', 'unreached'], ['b', 'unusable']);
    expect(roster.isAlone('a', 'unreached')).toBe(false);
  });
});

describe('a refusal', () => {
  it('lasts until the scope is listed or answered, or the credential changes', () => {
    const roster = rosterOf(['a', 'refused'], ['b', 'refused']);
    expect([roster.isUnrefused('a'), roster.hasUnrefused]).toEqual([false, false]);
    roster.ended('a', 'garbled', 2);
    expect(roster.isUnrefused('a')).toBe(false);
    roster.ended('a', 'answered', 3);
    expect(roster.isUnrefused('a')).toBe(true);
    roster.ended('a', 'refused', 4);
    roster.ended('a', 'listed', 5);
    expect([roster.isUnrefused('a'), roster.hasUnrefused]).toEqual([true, true]);
    roster.clearRefusals();
    expect(roster.isUnrefused('b')).toBe(true);
  });
});

describe('429', () => {
  it('again, after others were served, concerns the scope itself', () => {
    const roster = rosterOf(['a', 'busy'], ['b', 'listed']);
    expect([roster.isBusy('a'), roster.isThrottled('a')]).toEqual([true, false]);
    roster.completed('b');
    roster.ended('a', 'busy', 2);
    expect([roster.isThrottled('a'), roster.isThrottled('b')]).toEqual([true, false]);
    roster.ended('a', 'listed', 3);
    expect([roster.isBusy('a'), roster.isThrottled('a')]).toEqual([true, true]);
    roster.completed('a');
    expect([roster.isBusy('a'), roster.isThrottled('a')]).toEqual([false, false]);
  });

  it('to all of them concerns none', () => {
    const roster = rosterOf(['a', 'busy'], ['b', 'busy'], ['a', 'busy'], ['b', 'busy']);
    expect([roster.isThrottled('a'), roster.isThrottled('b'), roster.others('busy')]).toEqual([false, false, 2]);
  });

  it('is forgotten with the scope, not when it only need not be listed', () => {
    const roster = rosterOf(['a', 'busy'], ['b', 'listed']);
    roster.completed('b');
    roster.ended('a', 'busy', 2);
    roster.leave('a');
    expect([roster.isBusy('a'), roster.isThrottled('a')]).toEqual([true, true]);
    roster.forget('a');
    expect([roster.isBusy('a'), roster.isThrottled('a')]).toEqual([false, false]);
  });
});

describe('the next trial', () => {
  it('is of what most likely works: listed, then answered or untried, then busy or unusable, then the rest', () => {
    const roster = rosterOf(['l', 'listed'], ['a', 'answered'], ['b', 'busy'], ['r', 'refused']);
    const trials: string[] = [];
    for (let trial = roster.nextTrial(first); trial !== undefined; trial = roster.nextTrial(first)) {
      trials.push(trial);
      roster.leave(trial);
    }
    expect(trials).toEqual(['l', 'a', 'b', 'r']);
    expect(rosterOf(['u', 'unreached'], ['x', 'unusable']).nextTrial(first)).toBe('x');
    expect(rosterOf(['x', 'unusable'], ['a', 'answered']).nextTrial(first)).toBe('a');
    expect(roster.nextTrial(first)).toBeUndefined();
  });

  it('of equals is of the one not tried for longest, and before all of one never tried', () => {
    const roster = rosterOf(['a', 'unreached'], ['b', 'unreached'], ['a', 'unreached']);
    expect([roster.nextTrial(first), roster.nextTrial(last)]).toEqual(['b', 'b']);
    const answered = rosterOf(['a', 'answered']);
    answered.join('new');
    answered.join('a');
    expect([answered.nextTrial(first), answered.nextTrial(last)]).toEqual(['new', 'new']);
  });

  it('is drawn among those that nothing distinguishes, each as likely', () => {
    const roster = new Roster();
    for (const scope of ['a', 'b', 'c']) roster.ended(scope, 'unreached', 5);
    expect([roster.nextTrial(first), roster.nextTrial(last)]).toEqual(['c', 'a']);
    const counts = { a: 0, b: 0, c: 0 };
    let state = 1;
    const random = { next: () => ((state = (state * 16_807) % 2_147_483_647) - 1) / 2_147_483_646 };
    for (let count = 0; count < 3000; count++) counts[roster.nextTrial(random) as 'a']++;
    for (const count of Object.values(counts)) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('of a round is of one that had none in it', () => {
    const roster = rosterOf(['l', 'listed'], ['r', 'refused'], ['g', 'garbled']);
    roster.beginRound(5);
    roster.ended('l', 'listed', 6);
    expect(roster.nextTrial(first)).toBe('g');
    roster.ended('g', 'garbled', 7);
    expect(roster.nextTrial(first)).toBe('r');
    roster.ended('r', 'refused', 8);
    expect(roster.nextTrial(first)).toBe('l');
  });

  it('is only of those that are wanted', () => {
    expect(rosterOf(['a', 'listed'], ['b', 'refused']).nextTrial(first, (scope) => scope === 'b')).toBe('b');
  });
});

describe('those that are held', () => {
  it('were turned away, since the first time, or failed together with the connection', () => {
    const roster = rosterOf(
      ['l', 'listed'],
      ['a', 'answered'],
      ['b', 'busy'],
      ['u', 'unreached'],
      ['r', 'refused'],
      ['x', 'unusable'],
    );
    roster.wait('l', 10);
    roster.wait('l', 20);
    roster.wait('new', 30);
    expect([...roster.held()]).toEqual([
      { scope: 'l', sinceMs: 10 },
      { scope: 'u', sinceMs: undefined },
      { scope: 'r', sinceMs: undefined },
      { scope: 'x', sinceMs: undefined },
      { scope: 'new', sinceMs: 30 },
    ]);
    expect([roster.waitingSinceMs('l'), roster.waitingSinceMs('never')]).toEqual([10, undefined]);
  });

  it('are held no more once they were tried, or the connection was changed', () => {
    const roster = rosterOf(['u', 'unreached']);
    roster.wait('l', 10);
    roster.ended('l', 'listed', 11);
    expect([...roster.held()].map(({ scope }) => scope)).toEqual(['u']);
    roster.renew();
    expect([...roster.held()]).toEqual([]);
  });
});
