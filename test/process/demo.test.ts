// The demo as a process: it prints its scenario and ends with 0, and however it ends, nothing is left running.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { runProgram } from '../../src/cli/program.ts';
import { samples } from '../../src/demo/samples.ts';
import { cacheDirectory } from '../../src/local/binaries.ts';
import { withFileLock } from '../../src/local/file-lock.ts';
import { thisMachine } from '../../src/local/machine.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { startProgram } from '../support/rigs/program.ts';
import { TestTerminal } from '../support/rigs/test-terminal.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

/** A working directory, and a temporary folder that only this demo uses: its name is in all command lines of the demo. */
function workplace() {
  const directory = mkdtempSync(join(tmpdir(), 'rolealerts-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const temporary = mkdtempSync(join(directory, 'tmp-'));
  return { directory, temporary, environment: { TMPDIR: temporary, KUBECONFIG: '' } };
}

async function processesWith(text: string): Promise<readonly string[]> {
  const { stdout } = await runCommand('ps', ['-ww', '-eo', 'args='], { environment: process.env, deadlineMs: 300_000 });
  return stdout.split('\n').filter((line) => line.includes(text));
}

/** Two supervisors, etcd, kube-apiserver, the operator, and kube-controller-manager where there is one. */
async function expectEverythingToRun(temporary: string): Promise<void> {
  await expect.poll(async () => (await processesWith(temporary)).length).toBeGreaterThanOrEqual(5);
}

async function expectNothingLeft(temporary: string): Promise<void> {
  await expect.poll(() => processesWith(temporary)).toEqual([]);
  await expect.poll(() => readdirSync(temporary).filter((name) => name.startsWith('rolealerts-'))).toEqual([]);
}

describeWithControlPlane('the demo', () => {
  it('plays its story unattended, shows what kubectl shows, and ends with 0', async () => {
    const { directory, temporary, environment } = workplace();
    const demo = startProgram(['demo', '--once'], { directory, environment });
    expect(await demo.ended, `${demo.output.stdout}${demo.output.stderr}`).toBe(0);
    const { stdout, stderr } = demo.output;
    expect(stderr).toBe('');
    expect(stdout).toMatch(/NAME +READY +REASON +MODE +IN-SYNC +INCIDENTS +AGE\n/);
    for (const { name, after } of samples) {
      const [ready = '', reason = ''] = after.conditions['Ready']!.split('/');
      expect(stdout).toMatch(new RegExp(`\\n${name} +${ready} +${reason} `));
    }
    expect(stdout.match(/DriftCorrected: Alert TooManyOwners/g)).toHaveLength(2);
    expect(stdout).toContain('NewIncidents: Alert TooManyPermanentOwnersAssignedToResource');
    expect(stdout).toContain('Every sample is as expected.\n');
    for (const log of ['demo-operator.log', 'demo-service.log']) {
      const text = readFileSync(join(directory, '.rolealerts', log), 'utf8');
      expect(text).not.toBe('');
      expect(text).not.toContain('Person behind');
    }
    await expectNothingLeft(temporary);
  });

  it('leaves nothing running when it is killed', async () => {
    const { directory, temporary, environment } = workplace();
    const demo = startProgram(['demo', '--once'], { directory, environment });
    await expect.poll(() => demo.output.stdout).toContain('sample policies are applied');
    await expectEverythingToRun(temporary);
    demo.child.kill('SIGKILL');
    await expectNothingLeft(temporary);
  });

  it.each(['Starting the API server', 'The alerts service listens', 'The operator runs'])(
    'ends cleanly, but not with 0, when it is interrupted after "%s"',
    async (moment) => {
      const { directory, temporary, environment } = workplace();
      const demo = startProgram(['demo', '--once'], { directory, environment });
      await expect.poll(() => demo.output.stdout, { interval: 5 }).toContain(moment);
      demo.child.kill('SIGINT');
      expect(await demo.ended).toBe(1);
      expect(demo.output.stdout).toContain('The demo was stopped; nothing is left running.\n');
      expect(demo.output.stderr).toBe('');
      await expectNothingLeft(temporary);
    },
  );

  it('fails with a sentence when its operator dies', async () => {
    const { directory, temporary, environment } = workplace();
    const demo = startProgram(['demo', '--once'], { directory, environment });
    await expect.poll(() => demo.output.stdout).toMatch(/The operator runs as process [0-9]+/);
    const [, pid] = /The operator runs as process ([0-9]+)/.exec(demo.output.stdout)!;
    process.kill(Number(pid), 'SIGKILL');
    expect(await demo.ended).toBe(1);
    expect(demo.output.stderr).toContain('rolealerts: The operator exited (signal SIGKILL): the last lines of ');
    await expectNothingLeft(temporary);
  });

  it('ends when it is interrupted while the programs are built', async () => {
    const { directory, temporary, environment } = workplace();
    writeFileSync(join(temporary, 'go'), slowGo, { mode: 0o755 });
    const path = `${temporary}:${process.env['PATH']}`;
    const demo = startProgram(['demo'], {
      directory,
      environment: { ...environment, ...noPrograms(directory), PATH: path },
    });
    await expect.poll(() => processesWith(join(temporary, 'go list'))).not.toEqual([]);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(1);
    expect(demo.output.stdout).toMatch(/The demo was stopped; nothing is left running\.\n$/);
    expect(demo.output.stderr).toBe('');
    await expectNothingLeft(temporary);
  });

  it('ends when it is interrupted while it waits for another process that fetches the programs', async () => {
    const { directory, environment } = workplace();
    const machine = { ...thisMachine(process), environment: noPrograms(directory) };
    const clock = machine.clock;
    await withFileLock(
      `${cacheDirectory(machine)}.lock`,
      { clock, withinMs: 0, onWaiting: () => undefined },
      async () => {
        const demo = startProgram(['demo'], { directory, environment: { ...environment, ...noPrograms(directory) } });
        await expect.poll(() => demo.output.stdout).toContain('waiting for it');
        demo.child.kill('SIGINT');
        expect(await demo.ended).toBe(1);
        expect(demo.output.stdout).toMatch(/The demo was stopped; nothing is left running\.\n$/);
      },
    );
  });

  it('shows a live table in a terminal, and a flip made with its own curl command as repaired', async () => {
    const { directory } = workplace();
    const terminal = new TestTerminal(120, 50);
    const stopping = new AbortController();
    const out = { write: (text: string) => terminal.write(text), isTerminal: true, columns: 120, rows: 50 };
    const facts = { platform: process.platform, arch: process.arch, env: process.env, execPath: process.execPath };
    const program = { nodeVersion: process.version, programFile: '' };
    const host = {
      env: process.env,
      facts,
      ...program,
      workingDirectory: directory,
      out,
      err: out,
      stopping: stopping.signal,
    };
    const ended = runProgram(['demo'], host);
    onTestFinished(() => stopping.abort());
    const screen = () => terminal.lines().join('\n');

    await expect.poll(screen).toContain('Try next, in another terminal:');
    expect(screen()).toMatch(/NAME +SHOWS +READY +REASON +IN-SYNC +INCIDENTS +LAST\n/);
    const before = screen().match(/DriftCorrected/g)?.length ?? 0;
    const commands = terminal.written.replaceAll(/\u001b\[[0-9]*[AJ]/g, '');
    const [curl = ''] = /^curl .*$/m.exec(commands)!;
    expect(await flip(curl)).toBe(204);
    await expect.poll(screen).toContain('Deactivated: A user with a token deactivated alert TooManyOwners');
    await expect.poll(() => screen().match(/DriftCorrected/g)?.length ?? 0).toBe(before + 1);
    expect(screen()).toMatch(/^corrected .* re-activated, verified$/m);
    const [request = ''] = /^\S+ --kubeconfig .* annotate .*$/m.exec(commands)!;
    expect((await runShell(request)).exitCode).toBe(0);
    await expect.poll(screen).toContain('Requested: The operator handled a reconcile request');

    stopping.abort();
    expect(await ended).toBe(0);
    expect(terminal.lines().at(-1)).toBe('The demo was stopped; nothing is left running.');
    expect(screen()).not.toContain('LAST');
  });
});

/** An empty cache folder, and no way to download anything: the proxy listens nowhere. */
function noPrograms(directory: string) {
  const proxy = 'http://127.0.0.1:9';
  const network = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, https_proxy: proxy };
  return { ...network, XDG_CACHE_HOME: join(directory, 'cache'), KUBEBUILDER_ASSETS: '' };
}

/** Works, and then takes for ever. */
const slowGo = '#!/bin/sh\n[ "$1" = version ] && exit 0\nwhile :; do sleep 0.1; done\n';

function runShell(command: string) {
  return runCommand('/bin/sh', ['-c', command], { environment: process.env, deadlineMs: 300_000 });
}

/** Sends what the command would send, as a shell reads it; curl itself may not be there. */
async function flip(curl: string): Promise<number> {
  const { stdout } = await runShell(`set -- ${curl}; printf '%s\\n' "$@"`);
  const words = stdout.trimEnd().split('\n');
  const headers = words
    .filter((_, index) => words[index - 1] === '-H')
    .map((word) => word.split(': ') as [string, string]);
  const body = words[words.indexOf('-d') + 1]!;
  const method = words[words.indexOf('-X') + 1]!;
  const response = await fetch(words.at(-1)!, { method, body, headers: Object.fromEntries(headers) });
  return response.status;
}
