// The files of --token-file.
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { readTokenFiles } from '../../../../src/commands/preview/token-files.ts';

test.skipIf(!existsSync('/dev/zero'))('a file without an end is refused', async () => {
  await expect(readTokenFiles(['/dev/zero'])).rejects.toThrow('--token-file: /dev/zero has more than 65536 bytes.');
});

test('a file that does not exist is wrong usage', async () => {
  await expect(readTokenFiles(['/nowhere/token'])).rejects.toMatchObject({ code: 'usage' });
});
