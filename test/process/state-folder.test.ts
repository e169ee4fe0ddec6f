// A state folder that cannot be one is refused before anything starts.
import { execFile } from 'node:child_process';

import { expect, test } from 'vitest';

import { programFile } from '../support/rigs/program.ts';

test.each(['up', 'down'])('local %s ends with 1 when a file has the name of the state folder', async (command) => {
  const { code, stderr } = await new Promise<{ readonly code: unknown; readonly stderr: string }>((resolve) => {
    const args = [programFile, 'local', command, '--state-dir', programFile];
    execFile(process.execPath, args, (error, _stdout, stderr) => {
      resolve({ code: error?.code, stderr });
    });
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^rolealerts: Cannot write to the (?:state )?folder .*rolealerts\.mjs: EEXIST/);
});
