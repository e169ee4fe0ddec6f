import { describe, expect, test } from 'vitest';

import { isPrivateName, isPublicAddress } from '../../../../src/operator/alert-client/endpoint.ts';

describe('an address of the public internet', () => {
  test.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(['', 'localhost', '127.1', '0x7f000001', '8.8.8.8.8', 'fe80::1%eth0', '::ffff:a9fe:a9fe'])(
    'is not %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});

/** Neighbours that no other block refuses. */
const knownOf = (...neighbours: (string | undefined)[]) => neighbours.filter((each) => each !== undefined);

describe('a rejected block of IPv4', () => {
  test.each([
    ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
    ['240.0.0.0', '255.255.255.255', undefined, undefined],
  ])('goes from %s to %s, also inside IPv6', (first, last, before, after) => {
    for (const carrier of ['', '::ffff:', '64:ff9b::']) {
      const isPublic = (address: string) => isPublicAddress(`${carrier}${address}`);
      expect([first, last].map(isPublic)).toEqual([false, false]);
      expect(knownOf(before, after).filter((neighbour) => !isPublic(neighbour))).toEqual([]);
    }
  });
});

const rest = ':ffff'.repeat(6);

describe('a rejected block of IPv6', () => {
  test.each([
    ['::', '::ffff:ffff', undefined, '::1:0:0'],
    ['64:ff9b:1::', `64:ff9b:1${':ffff'.repeat(5)}`, `64:ff9b:0${':ffff'.repeat(5)}`, '64:ff9b:2::'],
    ['100::', '100::ffff:ffff:ffff:ffff', `ff:ffff${rest}`, '100:0:0:1::'],
    ['2001::', `2001:1ff${rest}`, `2000:ffff${rest}`, '2001:200::'],
    ['2001:db8::', `2001:db8${rest}`, `2001:db7${rest}`, '2001:db9::'],
    ['2002::', `2002:ffff${rest}`, `2001:ffff${rest}`, '2003::'],
    ['3fff::', `3fff:fff${rest}`, `3ffe:ffff${rest}`, '3fff:1000::'],
    ['5f00::', `5f00:ffff${rest}`, `5eff:ffff${rest}`, '5f01::'],
    ['fc00::', `fdff:ffff${rest}`, `fbff:ffff${rest}`, 'fe00::'],
    ['fe80::', `febf:ffff${rest}`, `fe7f:ffff${rest}`, undefined],
    ['fec0::', `feff:ffff${rest}`, undefined, undefined],
    ['ff00::', `ffff:ffff${rest}`, undefined, undefined],
  ])('goes from %s to %s', (first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    expect(knownOf(before, after).filter((neighbour) => !isPublicAddress(neighbour))).toEqual([]);
  });
});

test.each(['metadata', 'a.internal', 'A.LOCAL.', 'kubernetes.default.svc', 'localhost', '10.in-addr.arpa'])(
  'only a private network has the name %s',
  (name) => {
    expect(isPrivateName(name)).toBe(true);
  },
);

test.each(['alerts.example', 'internal.example', 'svc.example.net', 'a.notinternal', 'a.localhost.example.'])(
  'the public DNS may have the name %s',
  (name) => {
    expect(isPrivateName(name)).toBe(false);
  },
);
