// Every command that works on objects of a cluster, in every format and with every exit code that it has without an operator: in a
// pipe, in a closed pipe, and on a terminal.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { policyManifest } from '../support/builders/policy-manifest.ts';
import { allCommands } from '../support/checks/all-commands.ts';
import {
  hasTable,
  type Place,
  expectBesideTerminal,
  expectInClosedPipe,
  expectInPipe,
  expectOnTerminal,
  tooLong,
} from '../support/commands/run-command-line.ts';
import { clusterRuns, expandRuns } from '../support/commands/runs.ts';
import { describeWithTerminal, interrupt, startOnTerminal } from '../support/rigs/terminal-program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const runs = expandRuns(clusterRuns, await allCommands());
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

describeWithControlPlane('with a cluster', (controlPlane) => {
  let namespace: string;
  let place: Place;
  const apply = (name: string) =>
    controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(policyManifest(name)) });

  beforeAll(async () => {
    await controlPlane.applyCrds();
    namespace = await controlPlane.newNamespace();
    await apply('owners');
    const KUBECONFIG = join(controlPlane.scratchDirectory, 'kubeconfig-of-runs');
    await copyFile(controlPlane.kubeconfigPath, KUBECONFIG);
    await controlPlane.kubectl(['config', 'set-context', '--current', '--namespace', namespace], {
      kubeconfigPath: KUBECONFIG,
    });
    const environment = { KUBECONFIG };
    place = { directory: controlPlane.scratchDirectory, environment };
  });

  describeWithTerminal('the command line', () => {
    test.each(runs)('$line ends with $code everywhere', async (run) => {
      const printed = await expectInPipe(run, place);
      await expectInClosedPipe(run, place, printed);
      await expectBesideTerminal(run, place, printed);
      if (run.code !== 1 && hasTable(run)) await expectOnTerminal(run, place, 40);
    });
  });

  describeWithTerminal('status --watch', () => {
    test('clears the screen before each report, fits a resized terminal, and ends with 0 at Ctrl-C', async () => {
      const watched = startOnTerminal(['status', '--watch', '-o', 'wide'], { ...place, columns: 200 });
      const reports = () => watched.received().split(clearScreen).slice(1);
      await until(() => reports().at(-1)?.includes('owners') === true, 'the first report');
      watched.resize(40);
      await until(() => reports().length > 1, 'the report after the resize');
      expect(tooLong(reports().at(-1) ?? '', 40)).toEqual([]);
      watched.type(interrupt);
      expect(await watched.ended).toBe(0);
      expect(watched.received()).toMatch(/\r\n(\^C)?$/);
    });
  });
});
