// The demo, stopped at each moment, or without the programs that it can do without: it ends in order, and nothing is left running.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { cacheDirectory } from '../../src/local/binaries.ts';
import { withFileLock } from '../../src/local/file-lock.ts';
import { thisMachine } from '../../src/local/machine.ts';
import {
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

  it('goes on without kubectl when there is none', async () => {
    const { directory } = workplace();
    const on = await machineWithServers(directory);
    const { screen, stop } = startLive(directory, { ...noPrograms(directory), PATH: on.machine.environment['PATH'] });
    await expect.poll(screen).toContain('Every sample is as expected.');
    await expect.poll(screen).toContain('\nkubectl --kubeconfig ');
    expect(await stop()).toBe(0);
  });
});

/** Works, and then takes for ever. */
const slowGo = '#!/bin/sh\n[ "$1" = version ] && exit 0\nwhile :; do sleep 0.1; done\n';
