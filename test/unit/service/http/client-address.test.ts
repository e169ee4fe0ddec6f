import type { IncomingMessage } from 'node:http';

import { describe, expect, test } from 'vitest';

import { createSourceOf } from '../../../../src/service/http/client-address.ts';

type Headers = Readonly<Record<string, string>>;

const sourceOf = (headers: Headers, peer = '10.0.0.1', trustedProxies = ['10.0.0.0/8', 'fd00::/8']) =>
  createSourceOf({ scheme: 'http', trustedProxies })({
    headers,
    socket: { remoteAddress: peer } as IncomingMessage['socket'],
  });

const direct = { clientAddress: '10.0.0.1', scheme: 'http' };

describe('a request that does not come from a trusted proxy', () => {
  const spoofed = { 'x-forwarded-for': '192.0.2.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' };

  test.each([
    ['without trusted proxies', '10.0.0.1', []],
    ['of another address', '192.0.2.1', ['10.0.0.0/8']],
    ['of another kind of address', '::1', ['127.0.0.1']],
  ])('has the address of its socket: %s', (_, peer, trusted) => {
    for (const headers of [spoofed, {}]) {
      expect(sourceOf(headers, peer, trusted)).toEqual({ clientAddress: peer, scheme: 'http' });
    }
  });

  test('has the IPv4 address that its socket reports as IPv6', () => {
    expect(sourceOf({}, '::ffff:192.0.2.1').clientAddress).toBe('192.0.2.1');
    expect(sourceOf({ 'x-forwarded-for': '192.0.2.9' }, '::ffff:10.0.0.1').clientAddress).toBe('192.0.2.9');
  });
});

describe('X-Forwarded-For of a trusted proxy', () => {
  test.each<[string, string, string]>([
    ['one client', '192.0.2.9', '192.0.2.9'],
    ['what the client sent before it', '203.0.113.1, 192.0.2.9', '192.0.2.9'],
    ['trusted addresses only', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['IPv6 with a port', '[2001:db8::9]:4711', '2001:db8::9'],
    ['empty items', ' , 192.0.2.9,, ', '192.0.2.9'],
    ['no address', 'unknown', '10.0.0.1'],
    ['no address behind a second proxy', '192.0.2.9, unknown, 10.0.0.2', '10.0.0.2'],
  ])('with %s', (_, header, client) => {
    expect(sourceOf({ 'x-forwarded-for': header }).clientAddress).toBe(client);
  });

  test.each<[string, Headers, object]>([
    ['one of each', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example' }, ['https', 'a.example']],
    ['one for each hop', { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'a, b' }, ['https', 'a']],
    ['capital letters', { 'x-forwarded-proto': 'HTTPS' }, ['https', undefined]],
    ['another scheme, and no host', { 'x-forwarded-proto': 'ftp', 'x-forwarded-host': 'a/b' }, ['http', undefined]],
  ])('comes with the scheme and host of the client: %s', (_, headers, expected) => {
    const { clientAddress, scheme, forwardedHost } = sourceOf({ 'x-forwarded-for': '192.0.2.9, 10.0.0.2', ...headers });
    expect([clientAddress, [scheme, forwardedHost]]).toEqual(['192.0.2.9', expected]);
  });
});

test('Forwarded (RFC 7239) does not count', () => {
  expect(sourceOf({ forwarded: 'for=192.0.2.9;proto=https;host=a.example' })).toEqual(direct);
});
