// Data that the program could not write must not pass for success.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { programFile } from '../support/rigs/program.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';

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
  .each([
    'rolealerts completion bash > /dev/full',
    'echo correct horse battery | rolealerts serve hash > /dev/full',
    'rolealerts version > /dev/full',
  ])('%s ends with 1 and the reason, because a full disk takes no output', async (script) => {
  const { code, stderr } = await shell(script);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^rolealerts: Cannot write to standard output: ENOSPC/);
});

test('is quiet when the reader of a pipe closes it', async () => {
  const { stderr } = await shell('rolealerts completion bash | head -c 1');
  expect(stderr).toBe('');
});

test.skipIf(!existsSync('/dev/full')).each([
  ['> /dev/full', /standard output: .*ENOSPC.*\nrolealerts: Cannot write to standard output: ENOSPC.*\nexit 1\n$/],
  ['| true', /^rolealerts: Cannot write the backup to standard output: .*EPIPE.*\nexit 1\n$/],
])('serve backup - %s ends with 1 and the reason, because the backup is not whole', async (redirection, said) => {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-lost-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const dataFile = join(folder, 'alerts.db');
  await (await startAlertsService(serviceOptions({ dataFile }))).stop();
  const before = await readdir(folder);
  const { stderr } = await shell(
    `{ rolealerts serve backup --data ${dataFile} -; echo "exit $?" >&2; } ${redirection}`,
  );
  expect(stderr).toMatch(said);
  expect(await readdir(folder)).toEqual(before);
});
