// The demo as a process: it prints its scenario and ends with 0, and however it ends, nothing is left running.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { runProgram } from '../../src/cli/program.ts';
import { samples } from '../../src/demo/samples.ts';
import { cacheDirectory } from '../../src/local/binaries.ts';
import { withFileLock } from '../../src/local/file-lock.ts';
import { findServers } from '../../src/local/find-binaries.ts';
import { thisMachine } from '../../src/local/machine.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { fakeGo } from '../support/rigs/fake-go.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { testMachine } from '../support/rigs/local-machine.ts';
import { noInput } from '../support/rigs/no-input.ts';
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
    const [example, ...others] = await examplesOf('demo');
    expect(others).toEqual([]);
    const demo = startProgram(example.split(' ').slice(1), { directory, environment });
    expect(await demo.ended, `${demo.output.stdout}${demo.output.stderr}`).toBe(0);
    const { stdout, stderr } = demo.output;
    expect(stderr).toBe('');
    expect(stdout).toMatch(/NAME +READY +REASON +MODE +IN-SYNC +INCIDENTS +HIGH +AGE\n/);
    for (const { name, after } of samples) {
      const [ready = '', reason = ''] = after.conditions['Ready']!.split('/');
      expect(stdout).toMatch(new RegExp(`\\n${name} +${ready} +${reason} `));
    }
    expect(stdout.match(/DriftCorrected: Alert TooManyOwners/g)).toHaveLength(2);
    for (const name of ['bound-broken', 'cluster']) {
      const [found, ended] = [` ${name} +IncidentsFound: `, ` ${name} +NewIncidents: `];
      expect(stdout).toMatch(new RegExp(`${found}[^]*${ended}`));
    }
    expect(stdout).toMatch(/register of dismissals.*:\n(?: {2}demo\/(?:dismissed|cluster|bound-broken): .*; .*\n){3}/);
    expect(stdout).toMatch(/\nallowing +True +Connected +Allow /);
    expect(stdout).toMatch(
      /serves its metrics at http:\/\/127\.0\.0\.1:[0-9]+\/metrics, for example:\n {2}rolealerts_.* 3\n/,
    );
    expect(stdout).toContain('Every sample is as expected.\n');
    for (const log of ['demo-operator.log', 'demo-service.log']) {
      const text = readFileSync(join(directory, '.rolealerts', log), 'utf8');
      expect(text).not.toBe('');
      expect(text).not.toContain('Person behind');
    }
    await expectNothingLeft(temporary);
  });

  it('needs no program but etcd and kube-apiserver', async () => {
    const { directory, temporary, environment } = workplace();
    const { machine, lines } = await machineWithServers(directory);
    const network = { ...environment, ...noPrograms(directory), PATH: machine.environment['PATH'] ?? '' };
    const demo = startProgram(['demo', '--once'], { directory, environment: network });
    expect(await demo.ended, `${demo.output.stdout}${demo.output.stderr}`).toBe(0);
    expect(demo.output.stdout).toMatch(/^Starting the API server/);
    expect(demo.output.stdout).toMatch(/NAME +READY +REASON +MODE +IN-SYNC +INCIDENTS +HIGH +AGE\n/);
    expect(lines).toEqual([]);
    await expectNothingLeft(temporary);
  });

  it('leaves nothing running when it is killed', async () => {
    const { directory, temporary, environment } = workplace();
    const [example, ...others] = await examplesOf('demo');
    expect(others).toEqual([]);
    const demo = startProgram(example.split(' ').slice(1), { directory, environment });
    await expect.poll(() => demo.output.stdout).toContain('sample policies are applied');
    await expectEverythingToRun(temporary);
    demo.child.kill('SIGKILL');
    await expectNothingLeft(temporary);
  });

  it.each(['Starting the API server', 'The alerts service listens', 'The operator runs'])(
    'ends cleanly, but not with 0, when it is interrupted after "%s"',
    async (moment) => {
      const { directory, temporary, environment } = workplace();
      const [example, ...others] = await examplesOf('demo');
      expect(others).toEqual([]);
      const demo = startProgram(example.split(' ').slice(1), { directory, environment });
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
    const [example, ...others] = await examplesOf('demo');
    expect(others).toEqual([]);
    const demo = startProgram(example.split(' ').slice(1), { directory, environment });
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
    const { terminal, screen, stop } = startLive(directory, {});

    await expect.poll(screen).toContain('Try next, in another terminal:');
    expect(screen()).toMatch(/NAME +SHOWS +READY +REASON +IN-SYNC +INCIDENTS +LAST\n/);
    const row = () => /^corrected .*$/m.exec(screen())?.[0] ?? '';
    const before = row();
    const commands = terminal.written.replaceAll(/\u001b\[[0-9]*[AJ]/g, '');
    const [curl = ''] = /^curl .*$/m.exec(commands)!;
    expect(await flip(curl)).toBe(204);
    await expect.poll(screen).toContain('DeactivatedByOthers: Another client deactivated alert TooManyOwners');
    // Not by the timeline below the table: a new entry may push an older one of the same kind out.
    await expect.poll(() => row() !== before && row().endsWith(' activated, verified')).toBe(true);
    const [request = ''] = /^\S+ --kubeconfig .* annotate .*$/m.exec(commands)!;
    expect((await runShell(request)).exitCode).toBe(0);
    await expect.poll(screen).toContain('Status of "corrected": the operator handled the reconcile request ');

    expect(await stop()).toBe(0);
    expect(terminal.lines().at(-1)).toBe('The demo was stopped; nothing is left running.');
    expect(screen()).not.toContain('LAST');
  });

  it('runs while kubectl is built in the background, and then offers the commands that need it', async () => {
    const { directory } = workplace();
    const on = await machineWithServers(directory);
    const ready = join(directory, 'ready');
    on.addCommand('go', `[ "$1" = build ] && while [ ! -e "${ready}" ]; do /bin/sleep 0.1; done\n${fakeGo}`);
    const environment = { ...noPrograms(directory), PATH: on.machine.environment['PATH'] };
    const { terminal, screen, stop } = startLive(directory, environment);
    await expect.poll(screen).toContain('Without a download, Go builds kubectl from modules.');
    await expect.poll(screen).toContain('In the background: building kubectl: 1 of 3 packages (33 %)');
    await expect.poll(screen).toContain('kubectl is not ready yet; the commands that need it follow as soon as it is.');
    expect(screen()).toContain('Every sample is as expected.');
    // The terminal wraps the commands.
    expect(terminal.written).not.toMatch(/--kubeconfig .* describe/);
    writeFileSync(ready, '');
    await expect.poll(() => terminal.written).toMatch(/\/kubectl --kubeconfig .* describe rolealertpolicy/);
    expect(screen()).not.toContain('In the background');
    expect(await stop()).toBe(0);
  });

  it('ends, with everything that it has started, when it is stopped while kubectl is built', async () => {
    const { directory } = workplace();
    const on = await machineWithServers(directory);
    on.addCommand('go', `[ "$1" = build ] && /bin/sleep 300.${process.pid}\n${fakeGo}`);
    const { terminal, screen, stop } = startLive(directory, {
      ...noPrograms(directory),
      PATH: on.machine.environment['PATH'],
    });
    await expect.poll(screen).toContain('In the background: building kubectl');
    await expect.poll(() => processesWith(`sleep 300.${process.pid}`)).toHaveLength(1);
    expect(await stop()).toBe(0);
    expect(terminal.lines().at(-1)).toBe('The demo was stopped; nothing is left running.');
    await expect.poll(() => processesWith(`sleep 300.${process.pid}`)).toEqual([]);
    expect(terminal.written).not.toContain('The build failed');
  });

  it('goes on without kubectl when it cannot be built, and says why', async () => {
    const { directory } = workplace();
    const on = await machineWithServers(directory);
    on.addCommand('go', `[ "$1" = build ] && { echo "no space left on device" >&2; exit 1; }\n${fakeGo}`);
    const { screen, stop } = startLive(directory, { ...noPrograms(directory), PATH: on.machine.environment['PATH'] });
    await expect.poll(screen).toContain('Every sample is as expected.');
    await expect.poll(screen).toContain('The commands that need kubectl are left out. No kubectl fits.');
    expect(screen()).toContain('no space left on device');
    expect(await stop()).toBe(0);
  });
});

/** The demo in a terminal, in this process. */
function startLive(directory: string, environment: Readonly<Record<string, string | undefined>>) {
  const terminal = new TestTerminal(120, 50);
  const stopping = new AbortController();
  const out = {
    write: (text: string) => terminal.write(text),
    isTerminal: true,
    canRedraw: true,
    columns: 120,
    rows: 50,
  };
  const env = { ...process.env, ...environment };
  const facts = { platform: process.platform, arch: process.arch, env, execPath: process.execPath };
  const program = { nodeVersion: process.version, programFile: '', input: noInput };
  const host = { env, facts, workingDirectory: directory, ...program, out, err: out, stopping: stopping.signal };
  const ended = runProgram(['demo'], host);
  onTestFinished(() => stopping.abort());
  const stop = () => {
    stopping.abort();
    return ended;
  };
  return { terminal, screen: () => terminal.lines().join('\n'), stop };
}

/** A machine without kubectl and Go, whose cache folder has the other programs that a demo needs. */
async function machineWithServers(directory: string) {
  const on = testMachine();
  const servers = await findServers(thisMachine(process), on.progress, { needsControllers: false });
  const cache = cacheDirectory({ ...thisMachine(process), environment: noPrograms(directory) });
  mkdirSync(cache, { recursive: true });
  symlinkSync(servers.etcd, join(cache, 'etcd'));
  symlinkSync(servers.kubeApiServer, join(cache, 'kube-apiserver'));
  return on;
}

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
