// Every command that works on objects of a cluster: in every format and with every exit code that it has without an operator in the process
// of the tests, and once as a process beside a terminal.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { policyManifest } from '../support/builders/policy-manifest.ts';
import { allCommands } from '../support/checks/all-commands.ts';
import { expectInPipe, expectOnTerminals, type Place, tooLong } from '../support/commands/run-command-line.ts';
import { commandRuns } from '../support/commands/runs.ts';
import { connectionYaml } from '../support/rigs/preview-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithTerminal, interrupt, startOnTerminal } from '../support/rigs/terminal-program.ts';
import { until } from '../support/rigs/until.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const { withCluster, onTerminals } = commandRuns(await allCommands());
const clearScreen = '\u001b[H\u001b[2J\u001b[3J';

describeWithControlPlane('with a cluster', (controlPlane) => {
  let namespace: string;
  let place: Place;
  const apply = (name: string) =>
    controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], { input: JSON.stringify(policyManifest(name)) });

  beforeAll(async () => {
    namespace = await controlPlane.newNamespace();
    await apply('owners');
    await controlPlane.kubectl(['apply', '-n', namespace, '-f', '-'], {
      input: connectionYaml('https://alerts.example.net'),
    });
    const KUBECONFIG = join(controlPlane.scratchDirectory, 'kubeconfig-of-runs');
    await copyFile(controlPlane.kubeconfigPath, KUBECONFIG);
    await controlPlane.kubectl(['config', 'set-context', '--current', '--namespace', namespace], {
      kubeconfigPath: KUBECONFIG,
    });
    const environment = { KUBECONFIG };
    place = { directory: controlPlane.scratchDirectory, environment };
  });

  test.each(withCluster.filter((run) => !onTerminals.has(run)))('$line ends with $code', async (run) => {
    await expectInPipe(run, place);
  });

  describeWithTerminal('on terminals', () => {
    test.each(withCluster.filter((run) => onTerminals.has(run)))('$line ends with $code', async (run) => {
      await expectOnTerminals(run, place);
    });
  });

  test.each([
    ['suspend owners --until 2020-01-01T00:00:00Z', 64, '--until 2020-01-01T00:00:00Z is past'],
    ['suspend owners --until 2036-01-01T00:00:00Z --for 8h', 64, 'Use either --until or --for.'],
    ['trace connection/other', 1, '/other: check --namespace and --context.'],
    ['trace crac/other', 1, 'There is no ClusterRoleAlertConnection other: check --context.'],
    ['trace secret/other', 64, 'secret/other has an unknown type. Use NAME or rap/NAME for a policy, '],
    ['status --context nope', 64, 'The kubeconfig has no context nope: it has '],
  ])('%s ends with %i and says why', async (line, code, sentence) => {
    expect(await runHere(line.split(' '), place)).toEqual({
      code,
      stdout: '',
      stderr: expect.stringContaining(sentence),
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
