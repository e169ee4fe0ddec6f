// The snippets of deploy/reference/emulator.md, run as they are: in a shell with curl, and by Node. `rolealerts` and `docker` on the PATH
// are scripts that start this program. Skipped where there is no curl.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { runCommand } from '../../src/local/run-command.ts';
import { programFile, startProgram } from '../support/rigs/program.ts';
import { freePort } from '../support/servers/free-port.ts';

const page = readFileSync(new URL('../../deploy/reference/emulator.md', import.meta.url), 'utf8');
const deadlineMs = 300_000;

/** The text of the snippet with this name after its language. */
function snippet(name: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`\\w+ ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  expect(text).not.toBe('');
  return text;
}

describe.skipIf(spawnSync('curl', ['--version']).status !== 0)('the page about the emulator', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rolealerts-emulator-'));
    writeFileSync(join(folder, 'seed.yaml'), snippet('seed'));
    program('rolealerts', `exec '${process.execPath}' '${programFile}' "$@"`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function program(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }

  const environment = { ALERTS_TOKEN: 'a-token-of-the-tests-only' };
  const shell = (script: string, more: Record<string, string> = {}) =>
    runCommand('/bin/sh', ['-e', '-c', script], {
      environment: { ...environment, ...more, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      directory: folder,
      deadlineMs,
    });

  test('starts it in a shell, discovers its URL, lists and stops it', async () => {
    const { exitCode, stdout, stderr } = await shell(snippet('emulator').replaceAll('127.0.0.1:8081', '127.0.0.1:0'));
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ value: [{ name: 'TooManyOwnersAssignedToResource' }] });
    expect(readFileSync(join(folder, 'url'), 'utf8')).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\nadmin http:\/\/127\.0\.0\.1:\d+\n$/,
    );
  });

  test('shows the log of one that does not start', async () => {
    writeFileSync(join(folder, 'seed.yaml'), 'scopes: []');
    const { exitCode, stdout } = await shell(snippet('emulator').replaceAll('127.0.0.1:8081', '127.0.0.1:0'));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('rolealerts: The seed seed.yaml is invalid');
  });

  test('starts it in a workflow, and resets it between tests', async () => {
    const { jobs } = parse(snippet('github-actions')) as {
      jobs: { test: { env: Record<string, string>; steps: { name?: string; run?: string }[] } };
    };
    const [listen, admin] = [await freePort(), await freePort()];
    const here = (text: string) => text.replaceAll(':8080', `:${listen}`).replaceAll(':8081', `:${admin}`);
    // What follows the name of the image are the arguments of the program.
    program(
      'docker',
      `until case "$1" in REGISTRY/*) true;; *) false;; esac; do shift; done; shift
       arguments=$(printf '%s\\n' "$@" | sed 's|^/seed.yaml|seed.yaml|')
       rolealerts $arguments > out 2>&1 & echo $! > pid`,
    );
    const { env, steps } = jobs.test;
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)]));
    const start = steps.find(({ name }) => name === 'Start the emulator')?.run ?? '';
    try {
      const started = await shell(here(start), variables);
      expect([started.exitCode, started.stdout]).toEqual([0, '{"status":"ok"}']);
      const reset = await shell(snippet('between-tests'), variables);
      expect([reset.exitCode, reset.stderr]).toEqual([0, '']);
      expect(reset.stdout).toMatch(/^{"scopes":1,"alerts":1}{"scopes":1,"alerts":1}{"now":"[^"]+Z"}{"seed":0,"rules":/);
    } finally {
      process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')));
    }
  });

  test('starts it from a test in TypeScript', async () => {
    writeFileSync(join(folder, 'start-alerts.mts'), snippet('start-alerts'));
    writeFileSync(
      join(folder, 'use.mts'),
      `import { startAlerts } from './start-alerts.mts';
       const { url, reset, stop } = await startAlerts('seed.yaml', 'a-token-of-the-tests-only');
       const { status } = await reset();
       await stop();
       console.log(JSON.stringify([new URL(url).hostname, status]));
       const failed = () => startAlerts('none.yaml', 'a-token-of-the-tests-only').catch((error) => console.log(error.message));
       await failed();
       process.env.PATH = '/nowhere';
       await failed();`,
    );
    const { exitCode, stdout } = await runCommand(process.execPath, ['use.mts'], {
      environment: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      directory: folder,
      deadlineMs,
    });
    const failures = 'rolealerts ended with exit code 64.\nspawn rolealerts ENOENT\n';
    expect([exitCode, stdout]).toEqual([0, `["127.0.0.1",200]\n${failures}`]);
  });

  test.each([
    [64, ['--no-such-flag']],
    [64, ['--print=url']],
    [64, ['--emulator']],
    [64, ['--seed', '/nowhere/seed.yaml']],
    [1, ['--listen', '192.0.2.1:1', '--static-token', 'a-token-of-the-tests-only']],
  ])('documents exit code %d, which %j ends with', async (code, args) => {
    const { ended, output } = startProgram(['serve', ...args]);
    expect([await ended, output.stdout]).toEqual([code, '']);
    expect(page).toContain(`| exit code ${code} |`);
  });
});
