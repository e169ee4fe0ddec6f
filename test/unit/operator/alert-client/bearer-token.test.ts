// A text that may follow "Bearer ".
import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { isHeaderSafe, parseBearerToken, trimCredential } from '../../../../src/operator/alert-client/tokens.ts';

const parsed = (text: string) => parseBearerToken(new SecretText(text)).reveal();

test('is up to 16,384 visible characters of ASCII', () => {
  const longest = 'x'.repeat(16_384);
  expect(parsed(longest)).toBe(longest);
  expect(() => parsed(`${longest}x`)).toThrow('too long');
  expect([isHeaderSafe(longest), isHeaderSafe(`${longest}x`), isHeaderSafe('!~'), isHeaderSafe('')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('white space around it is not part of it', () => {
  expect(parsed(' \t\r\n\fa\n')).toBe('a');
  expect(trimCredential(new SecretText(' a b ')).reveal()).toBe('a b');
});

test('an empty one, and one with a space inside, have different messages, and the reason of a value that cannot be used', () => {
  expect(() => parsed(' \n')).toThrow('empty');
  expect(() => parsed('a b')).toThrow('contains a space');
  expect(() => parsed('a b')).toThrow(expect.objectContaining({ reason: 'SecretInvalid' }));
});
