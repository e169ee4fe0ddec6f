import { X509Certificate } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { hostsOf } from '../../../../src/service/tls/kept-certificate.ts';
import { makeSelfSigned } from '../../../../src/service/tls/self-signed.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const hosts = ['::1', '127.0.0.1', 'alerts.example', 'fd00:1:0:0:2::ffff', 'localhost'];
const made = await makeSelfSigned(hosts, nowMs);
const authority = new X509Certificate(made.authority);
const certificate = new X509Certificate(made.certificate);

describe('a self-signed certificate', () => {
  test('is for these hosts and no others', () => {
    expect(certificate.subjectAltName?.split(', ').sort()).toEqual(
      [
        'DNS:alerts.example',
        'DNS:localhost',
        'IP Address:0:0:0:0:0:0:0:1',
        'IP Address:127.0.0.1',
        'IP Address:FD00:1:0:0:2:0:0:FFFF',
      ].sort(),
    );
    expect([certificate.checkHost('alerts.example'), certificate.checkHost('other.example')]).toEqual([
      'alerts.example',
      undefined,
    ]);
    expect([certificate.checkIP('fd00:1::2:0:0:ffff'), certificate.checkIP('127.0.0.2')]).toEqual([
      'fd00:1::2:0:0:ffff',
      undefined,
    ]);
  });

  test('is for servers only', () => {
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  test('begins an hour ago, for clients whose clocks are late, and ends in 90 days, as the authority does', () => {
    for (const each of [authority, certificate]) {
      expect(each.validFromDate.toISOString()).toBe('2026-01-02T02:04:05.000Z');
      expect(each.validToDate.toISOString()).toBe('2026-04-02T03:04:05.000Z');
    }
    expect(made.endsAtMs).toBe(Date.parse('2026-04-02T03:04:05.000Z'));
  });

  test('may end after 2049, when years have four digits', async () => {
    const late = await makeSelfSigned(hosts, Date.UTC(2049, 10, 1));
    expect(new X509Certificate(late.certificate).validToDate.toISOString()).toBe('2050-01-30T00:00:00.000Z');
  });
});

describe('the hosts of the certificate', () => {
  test.each([
    ['an address of this machine', '10.1.2.3', undefined, ['10.1.2.3', '127.0.0.1', '::1', 'localhost']],
    ['every interface', '0.0.0.0', undefined, ['127.0.0.1', '::1', 'localhost']],
    ['a public name', '', 'https://alerts.team.svc:8443', ['127.0.0.1', '::1', 'alerts.team.svc', 'localhost']],
    ['a public address of IPv6', '::1', 'https://[fd00::2]:1', ['127.0.0.1', '::1', 'fd00::2', 'localhost']],
  ])('with %s', (_, listenHost, publicURL, expected) => {
    expect([...hostsOf(listenHost, publicURL)].sort()).toEqual([...expected].sort());
  });
});
