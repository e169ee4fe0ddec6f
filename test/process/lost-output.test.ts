// Data that the program could not write must not pass for success.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';

import { expect, test } from 'vitest';

import { programFile } from '../support/rigs/program.ts';

function shell(script: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const program = `rolealerts() { "${process.execPath}" "${programFile}" "$@"; }; ${script}`;
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', program], (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
    });
  });
}

test
  .skipIf(!existsSync('/dev/full'))
  .each(['rolealerts completion bash > /dev/full', 'echo correct horse battery | rolealerts serve hash > /dev/full'])(
  '%s ends with 1 and the reason, because a full disk takes no output',
  async (script) => {
    const { code, stderr } = await shell(script);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^rolealerts: Cannot write to standard output: ENOSPC/);
  },
);

test('is quiet when the reader of a pipe closes it', async () => {
  const { stderr } = await shell('rolealerts completion bash | head -c 1');
  expect(stderr).toBe('');
});
