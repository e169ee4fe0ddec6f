// Which requests the page of `rolealerts ui` answers.
import { describe, expect, test } from 'vitest';

import { cookieOf, refusalOf } from '../../../../src/commands/ui/ui-server.ts';

const port = 8765;
const own = { host: '127.0.0.1:8765' };
const statusOf = (headers: Record<string, string>, method = 'GET') => refusalOf({ method, headers }, port)?.status;

test.each<[string, Record<string, string>]>([
  ['the address line', { ...own, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['a link in another page', { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  [
    'the page itself',
    { ...own, origin: 'http://127.0.0.1:8765', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
  ],
  ['localhost', { host: 'LOCALHOST:8765' }],
  ['IPv6', { host: '[::1]:8765', origin: 'http://[::1]:8765' }],
])('a request from %s is answered', (_, headers) => {
  expect(refusalOf({ method: 'GET', headers }, port)).toBeUndefined();
});

test.each<[string, Record<string, string>]>([
  ['a foreign Host, as after DNS rebinding', { host: 'rebound.example:8765' }],
  ['the Host of another port', { host: '127.0.0.1:80' }],
  ['a Host that only begins like ours', { host: '127.0.0.1:8765.example' }],
  ['no Host', {}],
  ['a foreign Origin', { ...own, origin: 'https://evil.example' }],
  ['the Origin of another port', { ...own, origin: 'http://127.0.0.1:9999' }],
  ['an Origin that the browser hides', { ...own, origin: 'null' }],
  ['a script of another site', { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['a script of another port', { ...own, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
])('a request with %s gets 403 and a sentence', (_, headers) => {
  expect(refusalOf({ method: 'GET', headers }, port)).toEqual({
    status: 403,
    message: expect.stringMatching(/^[A-Z].*\.$/),
  });
});

test('on the port that browsers leave out, Host and Origin have none', () => {
  const headers = { host: '127.0.0.1', origin: 'http://127.0.0.1' };
  expect(refusalOf({ method: 'GET', headers }, 80)).toBeUndefined();
  expect(refusalOf({ method: 'GET', headers }, port)?.status).toBe(403);
});

describe('methods', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s gets 405', (method) => {
    expect(statusOf(own, method)).toBe(405);
  });
  test('HEAD is answered', () => expect(statusOf(own, 'HEAD')).toBeUndefined());
});

test('the cookie is the one of this port', () => {
  const cookie = 'rolealerts-ui-87=a; rolealerts-ui-8765=b; x=c';
  expect(cookieOf({ method: 'GET', headers: { cookie } }, port)).toBe('b');
  expect(cookieOf({ method: 'GET', headers: {} }, port)).toBeUndefined();
});
