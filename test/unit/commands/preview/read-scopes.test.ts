// The scopes that a command line names.
import { expect, test } from 'vitest';

import { readScopes } from '../../../../src/commands/preview/read-scopes.ts';
import { UsageError } from '../../../../src/lib/command-errors.ts';

const fromInput = (text: string) => readScopes([], '-', async () => Buffer.from(text));

test('come one a line, each once, without comments and outer slashes, after those of the flags', async () => {
  const text = '# payments\r\n/subscriptions/b/ # the second\n\nSUBSCRIPTIONS/A\nsubscriptions/c';
  const scopes = await readScopes(['subscriptions/a'], '-', async () => Buffer.from(text));
  expect(scopes).toEqual([
    { scope: 'subscriptions/a', displayName: undefined },
    { scope: 'subscriptions/b', displayName: 'the second' },
    { scope: 'subscriptions/c', displayName: undefined },
  ]);
});

test('that no policy can have are refused with their lines, the first ten', async () => {
  const wrong = Array.from({ length: 12 }, (_, index) => `a//${index}`).join('\n');
  const refusal: unknown = await fromInput(`subscriptions/a\nhttps://alerts.example/subscriptions/b\n${wrong}\n`).catch(
    (error: unknown) => error,
  );
  if (!(refusal instanceof UsageError)) throw new Error('not refused');
  const { detail = '' } = refusal;
  const lines = detail.split('\n');
  expect(lines[0]).toBe('-:2: scope must be a resource identifier, not a URL: write "subscriptions/b"');
  expect([lines.length, lines.at(-1)]).toEqual([11, 'and 3 more']);
});

test('in too large a file are refused', async () => {
  await expect(fromInput('a'.repeat(9 * 1024 * 1024))).rejects.toThrow(
    '--scopes-from: - has more than 8388608 bytes: split it.',
  );
});
