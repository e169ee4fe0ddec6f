// Every command that works on files: in every format and with every exit code in the process of the tests, and once as a process beside a
// terminal.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import { plan } from '../../src/operator/decide/plan.ts';
import { FileRecorder } from '../../src/operator/recording/file-recorder.ts';
import { type RunningAlertsService, startAlertsService } from '../../src/service/server.ts';
import { alert, input, planInput } from '../support/builders/objects.ts';
import { allCommands } from '../support/checks/all-commands.ts';
import { incident } from '../support/checks/canaries.ts';
import { expectInPipe, expectOnTerminals, type Place } from '../support/commands/run-command-line.ts';
import { commandRuns, formatsOf } from '../support/commands/runs.ts';
import { examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { connectionYaml, declaredActive, dismissed, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithTerminal } from '../support/rigs/terminal-program.ts';
import { serviceOptions, staticToken } from '../support/servers/alerts-service.ts';
import { kubeconfigText } from '../support/servers/mute-server.ts';

const commands = await allCommands();
const { withFiles, onTerminals } = commandRuns(commands);

let service: RunningAlertsService;
let place: Place;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-runs-'));
  service = await startAlertsService(
    serviceOptions({
      seed: { scopes: { 'subscriptions/a': { value: [seeded(true)] }, 'subscriptions/b': { value: [seeded(false)] } } },
    }),
  );
  await writeFiles(directory);
  const environment = {
    KUBECONFIG: join(directory, 'kubeconfig'),
    XDG_CONFIG_HOME: directory,
    ROLEALERTS_TOKEN: staticToken,
    ROLEALERTS_ALLOW_HTTP: 'true',
    ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
  };
  place = { directory, environment };
});
afterAll(async () => {
  await service.stop();
  await rm(place.directory, { recursive: true });
});

const seeded = (isActive: boolean) => ({ name: 'Owners', properties: { isActive, alertIncidents: [incident('x')] } });

async function writeFiles(directory: string): Promise<void> {
  const write = (name: string, ...parts: readonly string[]) =>
    writeFile(join(directory, name), parts.join('---\n'), { mode: 0o600 });
  const owners = (scope: string) => policyYaml('owners', scope, declaredActive('Owners'));
  const connection = connectionYaml(service.url);
  await write('kubeconfig', kubeconfigText('http://127.0.0.1:1'));
  await write('token', staticToken);
  await write('good.yaml', connection, secretYaml, owners('subscriptions/a'));
  await write('drifted.yaml', connection, secretYaml, owners('subscriptions/b'));
  await write('dismissed.yaml', connection, secretYaml, policyYaml('owners', 'subscriptions/a', dismissed('Owners')));
  await write('broken.yaml', policyYaml('owners', 'subscriptions/a', '{name: Owners, state: Asleep}'));
  await write('lost.yaml', owners('subscriptions/a'));
  const data = await startAlertsService(
    serviceOptions({ dataFile: join(directory, 'alerts.db'), tls: { kind: 'self-signed' } }),
  );
  await data.stop();
  await writeRecordings(directory);
}

/** The same decisions as now in `plans`, others in `other`, and no record in `damaged`. */
async function writeRecordings(directory: string): Promise<void> {
  const options = { fileBytes: 1e6, files: 2, program: '0.0.9', clock: new ManualClock(), log: silentLogger };
  const recorder = new FileRecorder({ ...options, directory: join(directory, 'plans'), observe: () => undefined });
  const given = planInput({ policies: [input()], alerts: [alert({ isActive: false })] });
  recorder.record({ connection: 'team/prod', scope: 'subscriptions/a', input: given, plan: plan(given) });
  await recorder.stop();
  const [name = ''] = await readdir(join(directory, 'plans'));
  const text = await readFile(join(directory, 'plans', name), 'utf8');
  const copies = { other: text.replace('"activate: Declared', '"activate: Unlisted'), damaged: `${text}{"damaged\n` };
  for (const [folder, changed] of Object.entries(copies)) {
    await mkdir(join(directory, folder));
    await writeFile(join(directory, folder, name), changed);
  }
}

test.each(withFiles.filter((run) => !onTerminals.has(run)))('$line ends with $code', async (run) => {
  await expectInPipe(run, place);
});

describeWithTerminal('on terminals', () => {
  test.each(withFiles.filter((run) => onTerminals.has(run)))('$line ends with $code', async (run) => {
    await expectOnTerminals(run, place);
  });
});

test('every example of the help of replay runs as it is written', async () => {
  for (const example of await examplesOf('replay')) {
    expect({ example, code: await startExample(example, place).ended }).toEqual({ example, code: 0 });
  }
});

test('every command refuses an unknown option with 64', async () => {
  const stderr = "rolealerts: Unknown option '--nonsense'.\n  See --help.\n";
  for (const command of commands.keys()) {
    const ran = await runHere([...command.split(' '), '--nonsense']);
    expect({ command, ...ran }).toEqual({ command, code: 64, stdout: '', stderr });
  }
});

test('every command refuses an unknown format with 64, and names those that it has', async () => {
  for (const [command, spec] of commands) {
    const formats = formatsOf(spec);
    if (formats.length === 0) continue;
    const operands = (spec.operands ?? []).map(() => 'plans');
    const ran = await runHere([...command.split(' '), ...operands, '-o', 'nonsense']);
    const stderr = `rolealerts: --output needs one of ${formats.join(', ')}.\n`;
    expect({ command, ...ran }).toEqual({ command, code: 64, stdout: '', stderr });
  }
});
