// Commands that wait for the rate limit of a connection, as processes: a wait without a socket must not end them.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { connectionYaml, secretYaml } from '../support/rigs/preview-rig.ts';
import { startProgram } from '../support/rigs/program.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const twoAtOnce = '  limits: {requestsPerHour: 36000, burst: 2}\n';
const scopes = ['subscriptions/a', 'subscriptions/b', 'subscriptions/c'];

test('export waits for its turn and writes the policies of every scope', async () => {
  const alert = { name: 'Owners', properties: { isActive: true } };
  await using server = await startScriptedServer((_, response) => answer(response, 200, { value: [alert] }));
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-limited-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'prod.yaml'), `${connectionYaml(server.url, twoAtOnce)}---\n${secretYaml}`);
  const words = ['export', '--connection', 'prod.yaml', '--allow-http', '--allow-private-endpoints'];
  const { ended, output } = startProgram([...words, ...scopes.flatMap((scope) => ['--scope', scope])], {
    directory: folder,
  });
  const code = await ended;
  expect([code, output.stderr]).toEqual([0, 'rolealerts: 3 policies of 3 scopes exported.\n']);
  expect(output.stdout.match(/^kind: RoleAlertPolicy$/gm)).toHaveLength(3);
});
