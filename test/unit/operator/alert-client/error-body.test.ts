import { describe, expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { decodeErrorBody } from '../../../../src/operator/alert-client/classify.ts';

describe('an error body', () => {
  test('gives its code and its message', () => {
    const json = { error: { code: 'RoleNotFound', message: 'No role.\u001b[31m\nGo away' } };
    expect(decodeErrorBody(json)).toEqual({ code: 'RoleNotFound', message: 'No role. Go away' });
  });

  test.each(['two words', '', '9lives', 'x'.repeat(65), 'a\nb', 'ünïcode'])('has no code when it is %j', (code) => {
    expect(decodeErrorBody({ error: { code, message: 'm' } })).toEqual({ message: 'm' });
  });

  test.each(['x'.repeat(64), 'a', 'A.b_c-9'])('has the code %s', (code) => {
    expect(decodeErrorBody({ error: { code } })).toEqual({ code });
  });

  test('has no message when all of it is removed', () => {
    expect(decodeErrorBody({ error: { message: '\u0000', code: 'A' } })).toEqual({ code: 'A' });
    expect(decodeErrorBody({ error: { message: 'm', code: 5 } })).toEqual({ message: 'm' });
  });

  test('ignores inherited members', () => {
    expect(decodeErrorBody(Object.create({ error: { code: 'A' } }))).toBeUndefined();
  });

  test('has a message of 512 characters at most', () => {
    expect(decodeErrorBody({ error: { message: 'x'.repeat(9999) } })?.message).toHaveLength(512);
  });

  test.each([null, [], 'x', {}, { error: null }, { error: 'x' }, { error: { code: 1 } }, { error: [] }])(
    'is not %j',
    (json) => {
      expect(decodeErrorBody(json)).toBeUndefined();
    },
  );

  test('does not repeat the token of the request', () => {
    const secret = new SecretText('canary');
    const json = { error: { code: 'canary', message: 'canary canary' } };
    expect(decodeErrorBody(json, secret)).toEqual({ message: '[redacted] [redacted]' });
  });
});
