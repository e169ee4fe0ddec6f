// The environment variables of the proxies.
import { expect, it, test } from 'vitest';

import { describeProxies, readProxies } from '../../../../src/commands/options/proxy-variables.ts';

const canary = 'http://user:canary@proxy.example:3128';

test('without them there is no proxy', () => {
  expect(readProxies({ HTTPS_PROXY: '', http_proxy: ' ', NO_PROXY: '*' })).toBeUndefined();
});

test('the upper case wins, unless it is empty', () => {
  const originOf = (environment: Record<string, string>) => readProxies(environment)?.https?.origin;
  expect(originOf({ HTTPS_PROXY: 'http://upper.example:1', https_proxy: 'http://lower.example:2' })).toBe(
    'http://upper.example:1',
  );
  expect(originOf({ HTTPS_PROXY: '', https_proxy: 'http://lower.example:2' })).toBe('http://lower.example:2');
});

test('HTTP_PROXY does not apply to https URLs', () => {
  const proxies = readProxies({ HTTP_PROXY: 'http://plain.example:1', no_proxy: 'h.example' });
  expect([proxies?.https, proxies?.http?.origin]).toEqual([undefined, 'http://plain.example:1']);
  expect([proxies?.isDirect('h.example', 443), proxies?.isDirect('g.example', 443)]).toEqual([true, false]);
});

it.each([
  [{ HTTPS_PROXY: 'socks5://proxy.example:1080' }, 'HTTPS_PROXY'],
  [{ https_proxy: 'http://user:canary@proxy.example/x' }, 'https_proxy'],
  [{ HTTP_PROXY: 'http://:canary@' }, 'HTTP_PROXY'],
])('a proxy that cannot be used is an error that names the variable: %j', (environment, name) => {
  const read = () => readProxies(environment);
  expect(read).toThrow(
    `${name} needs a proxy such as http://proxy.example:3128; only http and https proxies are supported.`,
  );
  expect(read).not.toThrow('canary');
});

test('the log shows the proxies without user and password', () => {
  const environment = { https_proxy: canary, HTTP_PROXY: canary, NO_PROXY: '.svc' };
  const proxies = readProxies(environment);
  expect(proxies && describeProxies(proxies, environment)).toEqual({
    httpsProxy: 'http://proxy.example:3128',
    httpProxy: 'http://proxy.example:3128',
    noProxy: '.svc',
  });
});
