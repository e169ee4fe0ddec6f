// Patterns of hosts: how they are written, and which hosts they cover.
import { describe, expect, test } from 'vitest';

import { isHostAllowed, parseHostPattern } from '../../../src/lib/host-pattern.ts';

describe('a pattern', () => {
  test.each([
    ['h.example', 'h.example'],
    ['H.Example.', 'h.example'],
    ['*.Example', '*.example'],
    ['b\u00fccher.example', 'xn--bcher-kva.example'],
    ['*.b\u00fccher.example', '*.xn--bcher-kva.example'],
    ['192.0.2.1', '192.0.2.1'],
    ['0xc0.0.2.1', '192.0.2.1'],
    ['2001:DB8::0:1', '[2001:db8::1]'],
    ['[2001:db8:0::1]', '[2001:db8::1]'],
    ['localhost', 'localhost'],
  ])('written %s is %s', (text, pattern) => {
    expect(parseHostPattern(text)).toBe(pattern);
  });

  test.each([
    '',
    '*',
    '*.*.example',
    'a*.example',
    'h.example:443',
    'https://h.example',
    'h.example/path',
    'user@h.example',
    'h example',
    'h%2eexample',
    '*.192.0.2.1',
    '*.[::1]',
    '[h.example]',
    'fe80::1%eth0',
  ])('is not written %j', (text) => {
    expect(parseHostPattern(text)).toBeUndefined();
  });
});

describe('a host', () => {
  const patterns = (...texts: string[]) => texts.map((text) => parseHostPattern(text) ?? '');
  const allowed = (url: string, ...texts: string[]) => isHostAllowed(patterns(...texts), new URL(url));

  test.each([
    ['https://H.EXAMPLE./x', 'h.example'],
    ['https://h.example:8443', 'h.example'],
    ['https://a.b.example', '*.example'],
    ['https://a.example.', '*.example'],
    ['https://b\u00fccher.example', 'xn--bcher-kva.example'],
    ['https://XN--BCHER-KVA.example', 'b\u00fccher.example'],
    ['https://[2001:db8:0:0::1]:8443', '2001:db8::1'],
    ['https://3221225985', '192.0.2.1'],
  ])('of %s is covered by %s', (url, pattern) => {
    expect(allowed(url, 'other.example', pattern)).toBe(true);
  });

  test.each([
    ['https://a.h.example', 'h.example'],
    ['https://h.example', '*.h.example'],
    ['https://evilh.example', '*.h.example'],
    ['https://h.example.evil.example', 'h.example'],
    ['https://user:h.example@evil.example', 'h.example'],
    ['https://evil.example/h.example', 'h.example'],
    ['https://evil.example?.h.example', '*.h.example'],
    ['https://[::ffff:192.0.2.1]', '192.0.2.1'],
  ])('of %s is not covered by %s', (url, pattern) => {
    expect(allowed(url, pattern)).toBe(false);
  });

  test('is allowed when there are no patterns', () => {
    expect(allowed('https://h.example')).toBe(true);
  });
});
