// The demo in a terminal, killed, stopped at each moment, or without the programs that it can do without: it ends in order, and nothing is
// left running.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { cacheDirectory } from '../../src/local/binaries.ts';
import { withFileLock } from '../../src/local/file-lock.ts';
import { thisMachine } from '../../src/local/machine.ts';
import { runCommand } from '../../src/local/run-command.ts';
import {
  expectEverythingToRun,
  expectNothingLeft,
  machineWithServers,
  noPrograms,
  processesWith,
  startLive,
  workplace,
} from '../support/rigs/demo-process.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('the demo', () => {
  it('needs no program but etcd and kube-apiserver', async () => {
    const { directory, temporary, environment } = workplace();
    const { machine, lines } = await machineWithServers(directory);
    const network = { ...environment, ...noPrograms(directory), PATH: machine.environment['PATH'] ?? '' };
    const demo = startProgram(['demo', '--once'], { directory, environment: network });
    expect(await demo.ended, `${demo.output.stdout}${demo.output.stderr}`).toBe(0);
    expect(demo.output.stdout).toMatch(/^Starting the API server/);
    expect(demo.output.stdout).toMatch(/NAME +SHOWS +READY +REASON +IN-SYNC +INCIDENTS +LAST\n/);
    expect(lines).toEqual([]);
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
    await expect.poll(() => processesWith(join(temporary, 'go build'))).not.toEqual([]);
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

  it('goes on without kubectl when there is none', async () => {
    const { directory } = workplace();
    const on = await machineWithServers(directory);
    const { screen, stop } = startLive(directory, { ...noPrograms(directory), PATH: on.machine.environment['PATH'] });
    await expect.poll(screen).toContain('Every sample is as expected.');
    await expect.poll(screen).toContain('\nkubectl --kubeconfig ');
    expect(await stop()).toBe(0);
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
    await expect.poll(() => row() !== before && row().endsWith(' DriftCorrected')).toBe(true);
    const [trace = ''] = /^\S+ .* trace --kubeconfig .*$/m.exec(commands)!;
    expect((await runShell(trace)).stdout).toMatch(/corrected/);

    expect(await stop()).toBe(0);
    expect(terminal.lines().at(-1)).toBe('The demo was stopped; nothing is left running.');
    expect(screen()).not.toContain('LAST');
  });
});

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
