import { expect, test } from 'vitest';

import { systemSecrets } from '../../../src/lib/secret-text.ts';

test('system secrets are 43 URL-safe characters and never the same', () => {
  const secrets = Array.from({ length: 50 }, () => systemSecrets().reveal());
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test('a secret from the source is redacted when it is printed', () => {
  expect(JSON.stringify({ secret: systemSecrets() })).toBe('{"secret":"[redacted]"}');
});
