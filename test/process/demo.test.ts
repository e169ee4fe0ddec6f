// The demo as a process: it prints its scenario and ends with 0, and nothing is left running when it is killed. demo.nightly.ts has the
// other ways in which it ends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { samples } from '../../src/local/demo/samples.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { expectEverythingToRun, expectNothingLeft, startLive, workplace } from '../support/rigs/demo-process.ts';
import { examplesOf } from '../support/rigs/help-examples.ts';
import { startProgram } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

describeWithControlPlane('the demo', () => {
  it('plays its story unattended, shows the table, and ends with 0', async () => {
    const { directory, temporary, environment } = workplace();
    const [example, ...others] = await examplesOf('demo');
    expect(others).toEqual([]);
    const demo = startProgram(example.split(' ').slice(1), { directory, environment });
    expect(await demo.ended, `${demo.output.stdout}${demo.output.stderr}`).toBe(0);
    const { stdout, stderr } = demo.output;
    expect(stderr).toBe('');
    expect(stdout).toMatch(/NAME +SHOWS +READY +REASON +IN-SYNC +INCIDENTS +LAST\n/);
    for (const { name, shows, after } of samples) {
      const [ready = '', reason = ''] = after.conditions['Ready']!.split('/');
      expect(stdout).toMatch(new RegExp(`\\n${name} +${shows} +${ready} +${reason} `));
    }
    expect(stdout.match(/DriftCorrected: Alert TooManyOwners/g)).toHaveLength(2);
    for (const name of ['bound-broken', 'cluster']) {
      const [found, ended] = [` ${name} +IncidentsFound: `, ` ${name} +NewIncidents: `];
      expect(stdout).toMatch(new RegExp(`${found}[^]*${ended}`));
    }
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
