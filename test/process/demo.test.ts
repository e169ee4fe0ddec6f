// The demo as a process: it prints its scenario and ends with 0, and nothing is left running. demo.nightly.ts has it in a terminal, and the
// other ways in which it ends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { samples } from '../../src/local/demo/samples.ts';
import { expectNothingLeft, workplace } from '../support/rigs/demo-process.ts';
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
    expect(stdout).toMatch(/ bound-broken +IncidentsFound: [^]* bound-broken +NewIncidents: /);
    expect(stdout).toContain('Every sample is as expected.\n');
    for (const log of ['demo-operator.log', 'demo-service.log']) {
      const text = readFileSync(join(directory, '.rolealerts', log), 'utf8');
      expect(text).not.toBe('');
      expect(text).not.toContain('Person behind');
    }
    await expectNothingLeft(temporary);
  });
});
