import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createSignIn } from '../../../../src/service/oauth/authorize/sign-in.ts';
import { createRegistrations } from '../../../../src/service/oauth/registrations.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const by = (name: string, address?: string) => ({ name, address });

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

test('of very many at once only some are checked, and the rest get a Retry-After', async () => {
  const { signIn } = start();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, name) => signIn.check(by(`name${name}`), 'x')));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(18);
  expect(outcomes.filter((outcome) => outcome === 'busy')).toHaveLength(32);
  expect(await signIn.check(by('ada'), 'right')).toBe('right');
});

test('a stranger who guesses a name keeps only their own address waiting', async () => {
  const { signIn } = start();
  for (let guess = 0; guess < 10; guess++) await signIn.check(by('ada', '192.0.2.1'), String(guess));
  expect(await signIn.check(by('ada', '192.0.2.1'), 'right')).toBe('too-often');
  expect(await signIn.check(by('ada', '192.0.2.2'), 'right')).toBe('right');
});
