import { describe, expect, test } from 'vitest';

import { isPublicAddress } from '../../../src/alert-client/addresses.ts';

describe('an address of the public internet', () => {
  test.each([
    '8.8.8.8',
    '20.112.52.29',
    '2606:4700::1111',
    '64:ff9b::8.8.8.8',
    '::ffff:8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
    '2001:0:1::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '8.8.8.8.8',
  ])('is not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});
