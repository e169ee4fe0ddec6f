import { describe, expect, test } from 'vitest';

import { isRegisteredURI, redirectURIProblem } from '../../../../src/service/oauth/authorize/redirect-uri.ts';

describe('a redirect URI can be registered', () => {
  test.each([
    'https://portal.example/callback',
    'https://portal.example/callback?a=b',
    'http://127.0.0.1/callback',
    'http://[::1]/callback',
    'http://localhost/',
  ])('as %s', (uri) => expect(redirectURIProblem(uri)).toBeUndefined());

  test.each([
    ['/callback', /absolute/],
    ['https://portal.example/callback#', /fragment/],
    ['https://user@portal.example/', /user name/],
    ['http://portal.example/callback', /https/],
    ['http://127.0.0.1.evil.example/', /https/],
    ['http://127.0.0.1@evil.example/', /user name/],
    ['javascript:alert(1)', /https/],
    ['https://portal.example/callback\n', /ASCII/],
    ['https://例え.example/', /ASCII/],
    ['https://portal.example/a b', /ASCII/],
  ])('but not as %s', (uri, problem) => expect(redirectURIProblem(uri)).toMatch(problem));
});

describe('a token may go', () => {
  const registered = ['https://portal.example/callback', 'http://127.0.0.1/back?x=1', 'http://[::1]:70/'];

  test.each([
    'https://portal.example/callback',
    'http://127.0.0.1/back?x=1',
    'http://127.0.0.1:51234/back?x=1',
    'http://[::1]:9/',
  ])('to %s', (uri) => expect(isRegisteredURI(registered, uri)).toBe(true));

  test.each([
    'https://portal.example/callback?a=b',
    'https://portal.example:8443/callback',
    'https://PORTAL.example/callback',
    'https://portal.example/x/../callback',
    'https://portal.example/callback#a',
    'http://127.0.0.1:51234/back',
    'http://127.0.0.1:51234/back?x=1#a',
    'http://127.0.0.1:1@evil.example/back?x=1',
    'http://127.0.0.2:51234/back?x=1',
    'http://localhost:51234/back?x=1',
    'https://127.0.0.1:51234/back?x=1',
    '',
  ])('not to %s', (uri) => expect(isRegisteredURI(registered, uri)).toBe(false));
});
