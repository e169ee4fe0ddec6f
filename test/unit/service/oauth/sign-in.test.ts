import { setImmediate as nextTurn } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createAttemptLimit } from '../../../../src/service/oauth/attempt-limit.ts';
import {
  comparisonBounds,
  concurrentComparisons,
  createSignIn,
  signInBounds,
} from '../../../../src/service/oauth/authorize/sign-in.ts';
import { type ScryptCost } from '../../../../src/service/oauth/hashed-secret.ts';
import { createPasswordCheck, type DeriveKey } from '../../../../src/service/oauth/password-check.ts';
import { createRegistrations, type ServiceUser } from '../../../../src/service/oauth/registrations.ts';
import { quickHash } from '../../../support/rigs/oauth-rig.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const by = (name: string, address?: string) => ({ name, address });

/** No real key: that of a password which is registered as text decides nothing. */
const fast: DeriveKey = async () => new Uint8Array(32);

/** Counts the derived keys. */
function countWork() {
  let keys = 0;
  const costs = new Set<ScryptCost>();
  const derive: DeriveKey = async (_, { cost }) => {
    keys += 1;
    costs.add(cost);
    return new Uint8Array(32);
  };
  return { derive, keys: () => keys, costs };
}

function start(derive = fast, more: readonly ServiceUser[] = []) {
  const clock = handClock();
  const users = [{ name: 'ada', password: new SecretText('right') }, ...more];
  const attempts = createAttemptLimit(signInBounds, clock);
  const isRight = createPasswordCheck(derive);
  return {
    clock,
    signIn: createSignIn({ registrations: createRegistrations({ clients: [], users }), attempts, isRight }),
  };
}

test.each([
  ['the right password', 'ada', 'right', 'right'],
  ['none', 'ada', '', 'wrong'],
])('%s', async (_, name, password, outcome) => {
  expect(await start().signIn.check(by(name), password)).toBe(outcome);
});

test('after ten wrong passwords a name has to wait, the right one too, and other names do not', async () => {
  const { signIn, clock } = start();
  const guesses = Array.from({ length: 12 }, (_, guess) => signIn.check(by('ada'), String(guess)));
  expect((await Promise.all(guesses)).filter((outcome) => outcome === 'wrong')).toHaveLength(10);
  expect(await signIn.check(by('ada'), 'right')).toBe('too-often');
  expect(await signIn.check(by('bob'), 'x')).toBe('wrong');
  clock.advance(60_000);
  expect(await signIn.check(by('ada'), 'right')).toBe('right');
  expect(await signIn.check(by('ada'), 'wrong')).toBe('wrong');
});

test.each([
  [2, 1],
  [3, 2],
  [64, 2],
])('on %i processors %i comparisons run at a time, so that other requests have one', (processors, running) => {
  expect(concurrentComparisons(processors)).toBe(running);
});

test('never more comparisons run at a time than the queue allows', async () => {
  let [running, most] = [0, 0];
  const { signIn } = start(async () => {
    most = Math.max(most, (running += 1));
    await nextTurn();
    running -= 1;
    return new Uint8Array(32);
  });
  await Promise.all(Array.from({ length: 64 }, (_, from) => signIn.check(by('ada', `192.0.2.${from}`), 'x')));
  expect([running, most]).toEqual([0, comparisonBounds.running]);
});

test('of very many at once only some are checked, and the rest get a Retry-After', async () => {
  const { signIn } = start();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, name) => signIn.check(by(`name${name}`), 'x')));
  const checked = comparisonBounds.running + comparisonBounds.waitingOfNetwork;
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(checked);
  expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(50 - checked);
  expect(await signIn.check(by('ada'), 'right')).toBe('right');
});

test('many names from one address are refused after a hundred, but not a name that signed in from there', async () => {
  const { signIn, clock } = start();
  expect(await signIn.check(by('ada', 'a'), 'right')).toBe('right');
  const outcomes: string[] = [];
  for (let name = 0; name <= 100; name++) outcomes.push(await signIn.check(by(`name${name}`, 'a'), 'x'));
  expect(outcomes).toEqual([...Array.from({ length: 100 }, () => 'wrong'), 'too-often']);
  expect(await signIn.check(by('ada', 'a'), 'right')).toBe('right');
  expect(await signIn.check(by('bob', 'a'), 'x')).toBe('too-often');
  expect(await signIn.check(by('bob', 'b'), 'x')).toBe('wrong');
  clock.advance(60_000);
  expect(await signIn.check(by('bob', 'a'), 'x')).toBe('wrong');
});

test.each<[string, (index: number) => string]>([
  ['three addresses', (index) => `192.0.2.${index % 3}`],
  ['all addresses of a /64', (index) => `2001:db8::${index.toString(16)}`],
])('a right sign-in is checked while %s send more than may wait', async (_, addressOf) => {
  const { signIn } = start();
  const flood = Array.from({ length: 3 * 24 }, (_each, index) =>
    signIn.check(by(`name${index}`, addressOf(index)), 'x'),
  );
  expect(await signIn.check(by('ada', '2001:db8:0:1::1'), 'right')).toBe('right');
  expect(new Set(await Promise.all(flood))).toEqual(new Set(['wrong', 'busy']));
});

test('the first attempt after a start takes the same work for a registered name as for any other, and so do later ones', async () => {
  const works: string[] = [];
  for (let process = 0; process < 50; process++) {
    const name = process % 2 === 0 ? 'ada' : 'bob';
    const counted = countWork();
    const { signIn } = start(counted.derive);
    const work: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await signIn.check(by(name), 'guess');
      work.push(counted.keys());
    }
    works.push(work.join());
  }
  expect(new Set(works)).toEqual(new Set(['1,2,3']));
});

const eve: ServiceUser = { name: 'eve', passwordHash: quickHash('hashed') };

test('beside a hash, every name costs the same: one with a password as text, and one that is not registered', async () => {
  const counted = countWork();
  const { signIn } = start(counted.derive, [eve]);
  for (const name of ['ada', 'eve', 'bob']) await signIn.check(by(name), 'guess');
  expect([counted.keys(), counted.costs]).toEqual([3, new Set([eve.passwordHash?.cost])]);
});

test('right passwords that overlap close no name and no network', async () => {
  const { signIn } = start();
  for (let each = 0; each < 2 * signInBounds.ofNetwork; each++) {
    const address = '192.0.2.1';
    const both = [signIn.check(by('ada', address), 'right'), signIn.check(by('ada', address), 'right')];
    await Promise.all(both);
  }
  expect(await signIn.check(by('bob', '192.0.2.1'), 'x')).toBe('wrong');
});
