// Runs each example in the help of the commands that read or edit objects of a cluster.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { examplesOf } from '../support/rigs/help-examples.ts';
import { runHere } from '../support/rigs/program.ts';
import { describeWithOwnControlPlane } from '../support/servers/control-plane.ts';
import type { TestControlPlane } from '../support/servers/test-control-plane.ts';

const group = { apiVersion: 'rolealerts.dev/v1alpha1' };
const endpoint = { baseURL: 'https://alerts.example.net' };
const connection = { endpoint, auth: { tokenSecretRef: { name: 'credentials', key: 'token' } } };
const objects = [
  { ...group, kind: 'RoleAlertConnection', metadata: { name: 'prod' }, spec: connection },
  { ...group, kind: 'ClusterRoleAlertConnection', metadata: { name: 'prod' }, spec: connection },
  {
    ...group,
    kind: 'RoleAlertPolicy',
    metadata: { name: 'owners', labels: { team: 'payments' } },
    spec: { connectionRef: { name: 'prod' }, scope: 'subscriptions/a', alerts: [{ name: 'Owners', state: 'Active' }] },
  },
];
const commands = ['status', 'doctor', 'trace', 'reconcile', 'suspend', 'resume'];

/** No operator runs here, so a command that waits for it is given little time and ends with 1. */
const waits = / --wait/;
const missesOperator = / --wait|^rolealerts doctor/;
/** It asks whether 5,000 scopes fit, or whether something is not ready. */
const asksTooMuch = / --scopes 5000| --not-ready/;

describeWithOwnControlPlane('the examples of the help', (controlPlane) => {
  beforeAll(async () => {
    await controlPlane.kubectl(['create', 'namespace', 'payments']);
    const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    await controlPlane.kubectl(['apply', '-n', 'payments', '-f', '-'], { input });
    mkdirSync(join(controlPlane.scratchDirectory, 'policies'));
    writeFileSync(join(controlPlane.scratchDirectory, 'policies', 'all.yaml'), input);
    writeFileSync(join(controlPlane.scratchDirectory, 'token'), 'a-token-of-the-viewer', { mode: 0o600 });
  });

  test.each(commands)('of %s all run as they are written', async (command) => {
    const examples = await examplesOf(command);
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      const { asked, code, stderr } = await runExample(example, controlPlane);
      const expected = missesOperator.test(asked) ? 1 : asksTooMuch.test(asked) ? 2 : 0;
      expect({ example, code, stderr }).toEqual({ example, code: expected, stderr });
    }
  });
});

/** Without the part behind a pipe or an arrow, which needs a shell. */
async function runExample(example: string, { scratchDirectory: directory, kubeconfigPath }: TestControlPlane) {
  const [asked = ''] = example.split(/ [|>] /);
  const words = asked.split(' ').slice(1);
  const timed = waits.test(asked) && !words.includes('--timeout') ? [...words, '--timeout', '1s'] : words;
  const args = timed
    .map((word, index) => (timed[index - 1] === '--timeout' ? '1s' : word))
    .map((word) => word.replace(/^policies\/$/, join(directory, word)));
  const environment = { KUBECONFIG: kubeconfigPath, HOME: directory, XDG_CONFIG_HOME: directory };
  return { asked, ...(await runHere(args, { directory, environment })) };
}
