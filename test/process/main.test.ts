// What src/main.ts adds to the commands: a process that ends in time and not before, stop signals, and data that it could not write, which must
// not pass for success.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { connectionYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { programFile, startProgram } from '../support/rigs/program.ts';
import { until } from '../support/rigs/until.ts';
import { serviceOptions, staticToken } from '../support/servers/alerts-service.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-main-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

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
  const folder = await newFolder();
  const dataFile = join(folder, 'alerts.db');
  await (await startAlertsService(serviceOptions({ dataFile }))).stop();
  const before = await readdir(folder);
  const { stderr } = await shell(
    `{ rolealerts serve backup --data ${dataFile} -; echo "exit $?" >&2; } ${redirection}`,
  );
  expect(stderr).toMatch(said);
  expect(await readdir(folder)).toEqual(before);
});

test('a service whose output is read by no program any more serves on', async () => {
  const { child, output } = startProgram(['serve', '--static-token', staticToken]);
  await until(() => output.stdout.endsWith('\n'), 'the address');
  const url = `${output.stdout.trim()}/openapi.json`;
  child.stdout?.destroy();
  child.stderr?.destroy();
  for (let requests = 0; requests < 3; requests++) expect((await fetch(url)).status).toBe(200);
  expect(child.exitCode).toBeNull();
});

/** More than a pipe holds. */
const someInput = '# a comment\n'.repeat(50_000);

test('a command that reads standard input ends with 1 at a stop signal', async () => {
  const { child, ended, output } = startProgram(['validate', '-f', '-'], { hasInput: true });
  child.stdin?.write(someInput);
  await once(child.stdin!, 'drain');
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(output).toEqual({ stdout: '', stderr: 'rolealerts: Stopped.\n' });
});

test('a service that waits for a pipe as its seed ends at a stop signal', async () => {
  const folder = await newFolder();
  const pipe = join(folder, 'seed');
  execFileSync('mkfifo', [pipe]);
  const writer = await open(pipe, 'r+');
  onTestFinished(() => writer.close());
  const { child, ended } = startProgram(['serve', '--seed', pipe, '--print=url', '--static-token=0123456789abcdef']);
  await once(child.stderr!, 'data');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

const twoAtOnce = '  limits: {requestsPerHour: 36000, burst: 2}\n';
const scopes = ['subscriptions/a', 'subscriptions/b', 'subscriptions/c'];

test('a wait for the rate limit, without a socket, does not end the process', async () => {
  const alert = { name: 'Owners', properties: { isActive: true } };
  await using server = await startScriptedServer((_, response) => answer(response, 200, { value: [alert] }));
  const folder = await newFolder();
  await writeFile(join(folder, 'prod.yaml'), `${connectionYaml(server.url, twoAtOnce)}---\n${secretYaml}`);
  const words = ['export', '--connection', 'prod.yaml', '--allow-http', '--allow-private-endpoints'];
  const { ended, output } = startProgram([...words, ...scopes.flatMap((scope) => ['--scope', scope])], {
    directory: folder,
  });
  const code = await ended;
  expect([code, output.stderr]).toEqual([0, 'rolealerts: 3 policies of 3 scopes exported.\n']);
  expect(output.stdout.match(/^kind: RoleAlertPolicy$/gm)).toHaveLength(3);
});
