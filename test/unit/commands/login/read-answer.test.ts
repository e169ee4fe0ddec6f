// The result of a sign-in with the implicit flow. That of the code flow needs a service: `contract/login-code-flow.test.ts`.
import { expect, test } from 'vitest';

import { readAnswer } from '../../../../src/commands/login/login-answer.ts';

const request = {
  authURL: 'https://alerts.example',
  clientID: 'rolealerts-cli',
  scope: 'user_impersonation',
  state: 'the-state',
  redirectURI: 'http://127.0.0.1:5555/callback',
  flow: undefined,
};
const token = 'access_token=a.b.c&token_type=Bearer&state=the-state';
const read = (fragment: string) => readAnswer(fragment, request, 1000, new AbortController().signal);

test.each([
  ['without an issuer', token],
  ['with the issuer that was asked', `${token}&iss=https%3A%2F%2Falerts.example`],
])('a token %s is taken', async (_, fragment) => {
  expect(await read(fragment)).toMatchObject({ kind: 'token' });
});

test('a token of another issuer is refused: a service that was asked may have sent the browser there', async () => {
  expect(await read(`${token}&iss=https%3A%2F%2Fother.example`)).toEqual({
    kind: 'refused',
    message: 'The response is from https://other.example instead of https://alerts.example. Sign in again.',
  });
});

test('a response to another sign-in is foreign, whatever its issuer', async () => {
  const fragment = `${token.replace('the-state', 'guessed')}&iss=https%3A%2F%2Fother.example`;
  expect(await read(fragment)).toEqual({ kind: 'foreign' });
});

test('a code that was not asked for gives no token', async () => {
  const message = 'The service sent no bearer token.';
  expect(await read('code=c&state=the-state')).toEqual({ kind: 'refused', message });
});
