import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createRegistrations } from '../../../../src/service/oauth/registrations.ts';
import { createSignIn } from '../../../../src/service/oauth/sign-in.ts';
import { handClock } from '../../../support/alerts-service.ts';

function start() {
  const clock = handClock();
  const users = [{ name: 'ada', password: new SecretText('right') }];
  return { clock, signIn: createSignIn(createRegistrations([], users), clock) };
}

test.each([
  ['the right password', 'ada', 'right', 'right'],
  ['a wrong one', 'ada', 'Right', 'wrong'],
  ['none', 'ada', '', 'wrong'],
  ['a name that is not registered', 'bob', 'right', 'wrong'],
  ['no name and no password', '', '', 'wrong'],
])('%s', async (_, name, password, outcome) => {
  expect(await start().signIn.check(name, password)).toBe(outcome);
});

test('after ten wrong passwords a name has to wait, the right one too, and other names do not', async () => {
  const { signIn, clock } = start();
  const guesses = Array.from({ length: 12 }, (_, guess) => signIn.check('ada', String(guess)));
  expect((await Promise.all(guesses)).filter((outcome) => outcome === 'wrong')).toHaveLength(10);
  expect(await signIn.check('ada', 'right')).toBe('too-often');
  expect(await signIn.check('bob', 'x')).toBe('wrong');
  clock.advance(60_000);
  expect(await signIn.check('ada', 'right')).toBe('right');
  expect(await signIn.check('ada', 'wrong')).toBe('wrong');
});

test('of very many at once only some are looked at, and the rest are told to come back', async () => {
  const { signIn } = start();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, name) => signIn.check(`name${name}`, 'x')));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(16);
  expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(34);
  expect(await signIn.check('ada', 'right')).toBe('right');
});
