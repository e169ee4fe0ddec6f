// The result of a sign-in with the implicit flow. That of the code flow needs a service: `contract/login-code-flow.test.ts`.
import { expect, test } from 'vitest';

import { foreignIssuer, parseLoginAnswer, readAnswer } from '../../../../src/commands/login/login-answer.ts';

const expected = { state: 'the-state', scope: 'user_impersonation', nowMs: 1000 };
const good = 'access_token=a.b.c&token_type=Bearer&expires_in=60&state=the-state';

function parsed(fragment: string) {
  const answer = parseLoginAnswer(fragment, expected);
  if (answer.kind !== 'token') return answer;
  const { token, ...rest } = answer.login;
  return { token: token.reveal(), ...rest };
}

test('a token has its end and its scope', () => {
  const all = { token: 'a.b.c', expiresAtMs: 61_000, scope: 'user_impersonation' };
  expect(parsed(good)).toEqual(all);
  expect(parsed(`${good}&scope=alerts.read`)).toEqual({ ...all, scope: 'alerts.read' });
  expect(parsed(good.replace('Bearer', 'bearer'))).toEqual(all);
  expect(parsed(good.replace('expires_in=60&', ''))).toEqual({ ...all, expiresAtMs: undefined });
  expect(parsed(good.replace('60', 'soon'))).toEqual({ ...all, expiresAtMs: undefined });
});

test.each([
  ['no state', good.replace('&state=the-state', '')],
  ['another state', good.replace('the-state', 'a-state')],
  ['a longer state', `${good}s`],
  ['an empty fragment', ''],
  ['an error without the state', 'error=access_denied'],
])('%s is of another sign-in', (_, fragment) => expect(parsed(fragment)).toEqual({ kind: 'foreign' }));

test.each([
  ['an error', 'error=access_denied&state=the-state', 'The service refused (access_denied)'],
  [
    'an error that is explained, in characters of a terminal',
    'error=a&error_description=b%1B[31m&state=the-state',
    expect.stringMatching(/^The service refused \(a\): b[^\u001b]*$/),
  ],
  ['no token', good.replace('a.b.c', ''), 'The service sent no bearer token.'],
  ['a token with a line break', good.replace('a.b.c', 'a%0Ab'), 'The service sent no bearer token.'],
  ['another type', good.replace('Bearer', 'mac'), 'The service sent no bearer token.'],
])('%s is said', (_, fragment, message) => expect(parsed(fragment)).toEqual({ kind: 'refused', message }));

const issuer = 'https://alerts.example';
const encoded = encodeURIComponent(issuer);

test.each([
  ['with the issuer', `code=c&iss=${encoded}`, true, undefined],
  ['without an issuer, of a service that need not send it', 'code=c', false, undefined],
  ['without an issuer, of a service that sends it', 'code=c', true, 'The response does not name the service.'],
  [
    'of another issuer',
    'code=c&iss=https%3A%2F%2Fevil.example%1B',
    false,
    expect.stringMatching(
      /^The response is from https:\/\/evil\.example[^\u001b]* instead of https:\/\/alerts\.example\.$/,
    ),
  ],
  [
    'of two issuers',
    `iss=${encoded}&iss=https%3A%2F%2Fevil.example`,
    true,
    'The response is from https://alerts.example, https://evil.example instead of https://alerts.example.',
  ],
])('a response %s', (_, fragment, sendsIssuer, problem) =>
  expect(foreignIssuer(fragment, { issuer, sendsIssuer })).toEqual(problem),
);

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
