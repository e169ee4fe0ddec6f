import { expect, test } from 'vitest';

import { clientNetwork, createNetworkTest, isNetwork, parseAddress } from '../../../src/lib/ip-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['0:0:0:0:0:ffff:c000:201', '192.0.2.1', '192.0.2.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b::c000:201', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80::1', 'fe80:0:0:0::/64'],
])('%s is %s, of the network %s', (text, address, network) => {
  expect([parseAddress(text), clientNetwork(text)]).toEqual([address, network]);
});

test.each(['', 'unknown', '192.0.2.256', '192.0.2.1:80', '[::1]', 'example.net'])('%j is no address', (text) => {
  expect([parseAddress(text), clientNetwork(text)]).toEqual([undefined, text]);
});

test.each([
  ['10.0.0.0/8', ['10.255.255.255'], ['11.0.0.0', '::1']],
  ['192.0.2.1', ['192.0.2.1'], ['192.0.2.2']],
  ['0.0.0.0/0', ['192.0.2.1'], ['::1']],
  ['2001:db8::/32', ['2001:db8:ffff::1'], ['2001:db9::1', '32.1.13.184']],
  ['::1', ['::1'], ['::2', 'nonsense']],
])('%s has %j and not %j', (network, inside, outside) => {
  const isInside = createNetworkTest([network]);
  expect(isNetwork(network)).toBe(true);
  expect([inside.map(isInside), outside.map(isInside)]).toEqual([inside.map(() => true), outside.map(() => false)]);
});

test.each(['', '10.0.0.0/33', '::/129', '10.0.0/8', 'localhost', '10.0.0.0/', '10.0.0.0/8/8', 'fe80::1%eth0'])(
  '%j is no network',
  (text) => {
    expect(isNetwork(text)).toBe(false);
  },
);
