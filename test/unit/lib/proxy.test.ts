// Which proxy a request uses. The cases of NO_PROXY are those of Go's httpproxy, which other programs of a platform follow.
import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { parseNoProxy, parseProxy, proxyFor } from '../../../src/lib/proxy.ts';

describe('a proxy', () => {
  test.each([
    ['http://proxy.example:3128', 'http://proxy.example:3128', 'proxy.example:3128'],
    ['proxy.example:3128', 'http://proxy.example:3128', 'proxy.example:3128'],
    ['proxy.example', 'http://proxy.example', 'proxy.example:80'],
    ['https://Proxy.Example/', 'https://proxy.example', 'proxy.example:443'],
    ['http://[fd00::1]:3128', 'http://[fd00::1]:3128', '[fd00::1]:3128'],
  ])('%s is %s', (text, origin, name) => {
    expect(parseProxy(text)).toEqual({ origin, name, authorization: undefined });
  });

  test('has the credentials of its URL, which no text of it shows', () => {
    const proxy = parseProxy('http://team%40a:canary%3A1@proxy.example:3128');
    expect(proxy?.authorization?.reveal()).toBe(`Basic ${Buffer.from('team@a:canary:1').toString('base64')}`);
    expect(inspect(proxy) + JSON.stringify(proxy)).not.toMatch(/canary|team/);
  });

  test.each([
    '',
    'socks5://proxy.example:1080',
    'http://',
    'http://proxy.example/path',
    'http://proxy.example?x',
    'http://a:%zz@proxy.example',
    'http://proxy example',
  ])('%j cannot be used', (text) => {
    expect(parseProxy(text)).toBeUndefined();
  });
});

describe('a request', () => {
  const https = parseProxy('http://secure.example:1');
  const http = parseProxy('http://plain.example:2');
  const used = (url: string, noProxy = '', proxies = { https, http }) =>
    proxyFor({ ...proxies, isDirect: parseNoProxy(noProxy) }, new URL(url))?.name ?? 'none';

  test('uses the proxy of its protocol, and no other', () => {
    expect([used('https://h.example'), used('http://h.example')]).toEqual(['secure.example:1', 'plain.example:2']);
    expect(used('https://h.example', '', { https: undefined, http })).toBe('none');
    expect(used('http://h.example', '', { https, http: undefined })).toBe('none');
  });

  test.each(['https://localhost', 'https://LOCALHOST.:8443', 'https://127.0.0.1', 'https://[::1]'])(
    'to this machine uses none: %s',
    (url) => {
      expect(used(url)).toBe('none');
    },
  );

  test.each([
    ['https://h.example', '*'],
    ['https://h.example', 'other.example , H.Example'],
    ['https://h.example.', 'h.example'],
    ['https://a.h.example', 'h.example'],
    ['https://a.h.example', '.h.example'],
    ['https://a.b.h.example', '*.h.example'],
    ['https://h.example', 'h.example:443'],
    ['https://b\u00fccher.example', 'b\u00fccher.example'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://[fd00::1]', 'fd00::/8'],
    ['https://[fd00::1]:8443', '[fd00::1]:8443'],
    ['https://[fd00::1]', '[fd00::1]'],
  ])('to %s is direct with NO_PROXY=%s', (url, noProxy) => {
    expect(used(url, noProxy)).toBe('none');
  });

  test.each([
    ['https://h.example', ''],
    ['https://h.example', '.h.example'],
    ['https://h.example', '*.h.example'],
    ['https://evilh.example', 'h.example'],
    ['https://h.example', 'h.example:8443'],
    ['https://h.example', 'h.*'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.1.2.3:8443'],
    ['https://10.1.2.3.example', '10.0.0.0/8'],
  ])('to %s uses the proxy with NO_PROXY=%j', (url, noProxy) => {
    expect(used(url, noProxy)).toBe('secure.example:1');
  });
});
