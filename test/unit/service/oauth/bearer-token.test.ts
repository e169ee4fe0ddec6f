import { expect, test } from 'vitest';

import { createBearerTokens } from '../../../../src/service/oauth/bearer-token.ts';
import { tokenKey } from '../../../../src/service/oauth/secret-hash.ts';

test('the token of the same headers is read once', () => {
  const tokenOf = createBearerTokens();
  const headers = { authorization: 'Bearer a.b.c' };
  const token = tokenOf({ headers });
  expect(token).toEqual({ text: 'a.b.c', key: tokenKey('a.b.c') });
  expect(tokenOf({ headers })).toBe(token);
});

test('equal tokens of other headers have equal keys', () => {
  const tokenOf = createBearerTokens();
  const [one, other] = [{ authorization: 'Bearer a' }, { authorization: 'bearer  a ' }];
  expect(tokenOf({ headers: one })).toEqual(tokenOf({ headers: other }));
  expect(tokenOf({ headers: { authorization: 'Bearer b' } })?.key).not.toBe(tokenKey('a'));
});

test.each([undefined, '', 'Bearer', 'Bearer a b', 'Basic a', 'Bearer ä'])(
  'there is no token in %j',
  (authorization) => {
    expect(createBearerTokens()({ headers: { authorization } })).toBeUndefined();
  },
);
