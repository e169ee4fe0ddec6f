import { describe, expect, it } from 'vitest';

import { FailingScopes } from '../../../src/controller/failing-scopes.ts';
import { Roster } from '../../../src/controller/roster.ts';
import { seededRandom } from '../../../src/lib/random.ts';

describe('scopes that fail', () => {
  const alone = (failing: FailingScopes) => ['a', 'b', 'c'].filter((scope) => failing.isAlone(scope)).join('');

  it('fail together until another one is served, and alone from then on', () => {
    const failing = new FailingScopes();
    for (const scope of ['a', 'b', 'a']) failing.failed(scope);
    expect([alone(failing), failing.alone]).toEqual(['', 0]);
    failing.served('c');
    expect([alone(failing), failing.alone]).toEqual(['ab', 2]);
    failing.failed('c');
    failing.failed('a');
    expect([alone(failing), failing.alone, failing.size]).toEqual(['ab', 2, 3]);
  });

  it('no longer fail alone once they are served or forgotten', () => {
    const failing = new FailingScopes();
    for (const scope of ['a', 'b', 'c']) failing.failed(scope);
    failing.served('c');
    failing.served('a');
    expect([alone(failing), failing.alone]).toEqual(['b', 1]);
    failing.failed('c');
    failing.forget('b');
    failing.forget('c');
    expect([alone(failing), failing.alone, failing.size]).toEqual(['', 0, 0]);
  });

  it('have to fail anew after everything was forgiven', () => {
    const failing = new FailingScopes();
    failing.failed('a');
    failing.served('b');
    failing.clear();
    failing.failed('a');
    expect([alone(failing), failing.alone]).toEqual(['', 0]);
  });
});

describe('the trials of a round', () => {
  const random = seededRandom(1);

  function rosterOf(scopes: readonly string[]): Roster {
    const roster = new Roster();
    for (const scope of scopes) roster.join(scope);
    return roster;
  }

  it('take those first that were listed last time, the longest ago first, then untried ones, then those that failed', () => {
    const roster = rosterOf(['untried']);
    roster.ended('refused', 'refused', 1);
    roster.ended('unreached', 'unreached', 2);
    roster.ended('busy', 'busy', 3);
    roster.ended('later', 'listed', 5);
    roster.ended('sooner', 'listed', 4);
    roster.beginRound(6);
    const order = Array.from({ length: 6 }, (_, index) => {
      const scope = roster.nextTrial(random) ?? '';
      roster.ended(scope, 'unreached', 7 + index);
      return scope;
    });
    expect(order).toEqual(['sooner', 'later', 'untried', 'busy', 'refused', 'unreached']);
  });

  it.each(['busy', 'garbled', 'refused', 'unreached'] as const)(
    'give every scope a turn before one has its second, whatever its first gave (%s)',
    (ending) => {
      const roster = rosterOf(['a', 'b', 'c']);
      roster.ended('c', 'refused', 1);
      roster.beginRound(2);
      const turns = Array.from({ length: 9 }, (_, index) => {
        const scope = roster.nextTrial(random) ?? '';
        roster.ended(scope, scope === 'a' ? ending : 'refused', 3 + index);
        return scope;
      });
      for (const start of [0, 3, 6]) expect(turns.slice(start, start + 3).sort()).toEqual(['a', 'b', 'c']);
    },
  );

  it('choose between untried ones by chance', () => {
    const roster = rosterOf(Array.from({ length: 20 }, (_, index) => `s${index}`));
    const chosen = new Set(Array.from({ length: 200 }, () => roster.nextTrial(random)));
    expect(chosen.size).toBe(20);
  });

  it('leave out what is not wanted, and what has left', () => {
    const roster = rosterOf(['a', 'b']);
    expect(roster.nextTrial(random, (scope) => scope !== 'a')).toBe('b');
    roster.leave('b');
    expect(roster.nextTrial(random, (scope) => scope !== 'a')).toBeUndefined();
  });
});

it('a roster counts only those that do not fail alone, and at least one', () => {
  const roster = new Roster();
  for (const scope of ['a', 'b', 'c']) roster.join(scope);
  roster.ended('a', 'unreached', 0);
  roster.ended('b', 'listed', 0);
  expect([roster.others('unreached'), roster.others('refused'), roster.isAlone('a', 'unreached')]).toEqual([
    2,
    3,
    true,
  ]);
  roster.leave('b');
  roster.leave('c');
  // What fails alone with nothing beside it speaks for the connection again.
  expect([roster.others('unreached'), roster.isAlone('a', 'unreached')]).toEqual([1, false]);
});
