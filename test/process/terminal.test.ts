// The program on a terminal: progress on standard error, Ctrl-C, and the line that both leave behind.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { eraseLine } from '../../src/lib/output.ts';
import { connectionYaml, declaredActive, policyYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { useProgramFolder } from '../support/rigs/program-folder.ts';
import { startHere } from '../support/rigs/program.ts';
import {
  describeWithTerminal,
  interrupt,
  startOnTerminal,
  type TerminalOptions,
} from '../support/rigs/terminal-program.ts';
import { until } from '../support/rigs/until.ts';
import { staticToken } from '../support/servers/alerts-service.ts';
import { kubeconfigText, startMuteServer } from '../support/servers/mute-server.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

/** Reads of a cluster, a service, or standard input that take forever. */
const waitingCommands = [
  'status -A',
  'ui',
  'status owners',
  'trace owners',
  'reconcile owners',
  'reconcile owners --wait',
  'suspend owners',
  'resume owners',
  'plan --live --token-file token',
  'plan -f plan.yaml',
  'plan -f plan.yaml --activate',
  'doctor',
  'export --connection plan.yaml --scope subscriptions/a --token-file token',
];

const place = useProgramFolder();
const environmentHere = () => ({
  KUBECONFIG: join(place.folder, 'kubeconfig'),
  XDG_CONFIG_HOME: place.folder,
  ROLEALERTS_ALLOW_HTTP: 'true',
  ROLEALERTS_ALLOW_PRIVATE_ENDPOINTS: 'true',
});

async function writeEverythingFor(url: string, scopes: readonly string[] = ['subscriptions/a']) {
  await place.write('kubeconfig', kubeconfigText(url));
  await place.write('token', staticToken);
  const policies = scopes.map((scope, index) => policyYaml(`owners-${index}`, scope, declaredActive('Owners')));
  await place.write('plan.yaml', [connectionYaml(url), secretYaml, ...policies].join('---\n'));
}

test.each(waitingCommands)('a stop signal ends `%s` before its result with 1', async (words) => {
  const server = await startMuteServer();
  await writeEverythingFor(server.url);
  const args = words.split(' ').map((word) => word.replace(/^(?:plan\.yaml|token)$/, join(place.folder, word)));
  const { written, stop, ended } = startHere(args, { environment: environmentHere() });
  await until(() => server.connections() > 0, 'the request');
  stop();
  expect(await ended).toBe(1);
  expect(written.err).toMatch(/rolealerts: Stopped\.\n$/);
});

describeWithTerminal('on a terminal', () => {
  const start = (words: string, options: TerminalOptions = {}) => {
    const environment = { ...environmentHere(), ...options.environment };
    return startOnTerminal(words.split(' '), { ...options, directory: place.folder, environment });
  };

  describe('Ctrl-C', () => {
    test('ends a service that runs until then with 0', async () => {
      const program = start(`serve --listen 127.0.0.1:0 --static-token ${staticToken}`);
      await until(() => program.received().includes('\r\nhttp://127.0.0.1:'), 'the address');
      program.type(interrupt);
      expect(await program.ended).toBe(0);
      expect(program.received()).toMatch(/alerts service stopped[^\n]*\r\n$/);
    });
  });

  describe('the progress of a plan', () => {
    /** The third list waits until the test releases it. */
    async function startPlan(options: TerminalOptions = {}) {
      const held = Promise.withResolvers<void>();
      const server = await startScriptedServer(async (_request, response, index) => {
        if (index === 2) await held.promise;
        answer(response, 200, { value: [{ name: 'Owners', properties: { isActive: true } }] });
      });
      onTestFinished(() => server.stop());
      await writeEverythingFor(server.url, ['subscriptions/a', 'subscriptions/b', 'subscriptions/c']);
      const outputFile = join(place.folder, 'plan.txt');
      const program = start('plan -f plan.yaml', { outputFile, ...options });
      await until(() => server.requests.length === 3, 'the third list');
      return { program, release: held.resolve, output: () => readFile(outputFile, 'utf8') };
    }

    test.each([40, 200])(
      'is one line of standard error with %i columns, which is erased at the end',
      async (columns) => {
        const { program, release, output } = await startPlan({ columns });
        await until(() => program.received().endsWith(`${eraseLine}Listed 2 of 3 scopes`), 'the progress');
        release();
        expect(await program.ended).toBe(0);
        expect(program.received().endsWith(eraseLine)).toBe(true);
        expect(await output()).toMatch(/^Plan for [^\u001b]+\n$/);
      },
    );

    test('is erased before an error', async () => {
      const { program } = await startPlan();
      await until(() => program.received().endsWith('Listed 2 of 3 scopes'), 'the progress');
      program.type(interrupt);
      expect(await program.ended).toBe(1);
      expect(program.received()).toContain(`${eraseLine}rolealerts: Stopped.\r\n`);
    });

    test('is left out on a dumb terminal', async () => {
      const { program, release, output } = await startPlan({ environment: { TERM: 'dumb' } });
      release();
      expect(await program.ended).toBe(0);
      expect(program.received()).toBe('');
      expect(await output()).toMatch(/^Plan for /);
    });
  });
});
