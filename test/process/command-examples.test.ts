// Every example in the help of the commands that need no objects of a cluster works as it is printed.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { allCommands } from '../support/checks/all-commands.ts';
import { type ExampleOptions, examplesOf, startExample } from '../support/rigs/help-examples.ts';
import { users } from '../support/rigs/oauth-rig.ts';
import { declaredActive, policyYaml } from '../support/rigs/preview-rig.ts';
import { useProgramFolder } from '../support/rigs/program-folder.ts';
import { fillInForm, handBack } from '../support/rigs/sign-in.ts';
import { until } from '../support/rigs/until.ts';
import { serviceOptions, startOverSocket, staticToken } from '../support/servers/alerts-service.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const scope = 'subscriptions/a';
const policy = policyYaml('owners', scope, declaredActive('Owners'));

const place = useProgramFolder();
const start = (example: string, options: Partial<ExampleOptions> = {}) =>
  startExample(example, { directory: place.folder, ...options });

async function succeed(example: string, options: Partial<ExampleOptions> = {}) {
  const { output, ended } = start(example, options);
  expect({ example, code: await ended, stderr: output.stderr }).toEqual({ example, code: 0, stderr: output.stderr });
  return output;
}

test('are those that the help ends with', async () => {
  expect(await examplesOf('status')).toEqual((await allCommands()).get('status')?.examples);
});

test('of validate', async () => {
  await place.write('policy.yaml', policy);
  await mkdir(join(place.folder, 'clusters'));
  await place.write('clusters/policy.yaml', policy);
  await mkdir(join(place.folder, 'bin'));
  await writeFile(join(place.folder, 'bin', 'kustomize'), '#!/bin/sh\ncat policy.yaml\n', { mode: 0o755 });
  for (const example of await examplesOf('validate')) {
    expect((await succeed(example)).stderr).toBe('1 object checked, 0 errors, 0 warnings.\n');
  }
  expect(JSON.parse(await readFile(join(place.folder, 'rolealerts.sarif'), 'utf8'))).toHaveProperty('runs');
});

test('of version', async () => {
  for (const example of await examplesOf('version')) {
    expect((await succeed(example)).stdout).toMatch(/^rolealerts 0|"VersionReport"/);
  }
});

test('of completion', async () => {
  await mkdir(join(place.folder, 'functions'));
  for (const example of await examplesOf('completion')) {
    // Words of zsh and fish, for bash.
    const words = 'fpath=(other functions); source() { [ $# = 0 ] && cat || builtin source "$@"; };';
    await succeed(`${words} ${example}`, { shell: 'bash' });
  }
  expect(await readFile(join(place.folder, 'functions', '_rolealerts'), 'utf8')).toMatch(/^#compdef rolealerts\n/);
});

test('of serve', async () => {
  await place.write('alerts.yaml', `scopes: {${scope}: {value: [{name: Owners, properties: {isActive: true}}]}}`);
  await place.write('token.txt', staticToken);
  for (const example of await examplesOf('serve')) {
    const { output, interrupt, ended } = start(example);
    await until(() => output.stdout.endsWith('\n'), `the address of ${example}`);
    interrupt();
    expect({ example, code: await ended }).toEqual({ example, code: 0 });
    expect(output.stdout).toMatch(/^https?:/);
  }
});

test('of serve backup', async () => {
  const service = await startAlertsService(serviceOptions({ dataFile: join(place.folder, 'alerts.db') }));
  await service.stop();
  for (const example of await examplesOf('serve backup')) {
    const { stdout, stderr } = await succeed(example);
    expect(`${stdout}${stderr}`).toBe('good: scopes: 0, alerts: 0\n');
  }
  expect(await readFile(join(place.folder, 'copy.db'), 'latin1')).toMatch(/^SQLite format 3/);
});

test('of serve ca', async () => {
  const options = { dataFile: join(place.folder, 'alerts.db'), tls: { kind: 'self-signed' } as const };
  const service = await startAlertsService(serviceOptions(options));
  await service.stop();
  for (const example of await examplesOf('serve ca')) await succeed(example);
  expect(await readFile(join(place.folder, 'ca.crt'), 'utf8')).toBe(service.authority);
});

test('of serve hash', async () => {
  await place.write('secret.txt', 'a secret\n');
  for (const example of await examplesOf('serve hash')) {
    expect((await succeed(example)).stdout).toMatch(/^\S+\n$/);
  }
});

test('of login, with a person who signs in', async () => {
  const clients = [{ id: 'rolealerts-cli', redirectURIs: ['http://127.0.0.1/callback'] }];
  const service = await startOverSocket({ users, clients });
  onTestFinished(() => service.stop());
  for (const example of await examplesOf('login')) {
    // No browser opens without one on the PATH.
    const { output, ended } = start(example.replace('http://127.0.0.1:8080', service.origin), {
      environment: { PATH: '/usr/bin:/bin', DISPLAY: '', XDG_CONFIG_HOME: place.folder },
    });
    await until(() => /^ {2}http\S+$/m.test(output.stderr), 'the address');
    await handBack(await fillInForm(/^ {2}(http\S+)$/m.exec(output.stderr)?.[1] ?? ''));
    expect({ example, code: await ended }).toEqual({ example, code: 0 });
  }
  expect(await readFile(join(place.folder, 'token.txt'), 'utf8')).toMatch(/^\S+\n$/);
});

describeWithControlPlane('with the programs of a control plane', () => {
  test('of local up, controller, local status and local down, in that order', async () => {
    // In the home of the tests, the cache has the control plane.
    const options = { environment: { HOME: homedir() } };
    const down = await examplesOf('local down');
    onTestFinished(async () => {
      for (const example of down) await start(example, options).ended;
    });
    for (const example of await examplesOf('local up')) {
      expect((await succeed(example, options)).stdout).toMatch(/^The control plane is ready/);
    }
    const environment = {
      KUBECONFIG: join(place.folder, '.rolealerts', 'kubeconfig'),
      ROLEALERTS_METRICS_BIND_ADDRESS: '127.0.0.1:0',
      ROLEALERTS_HEALTH_PROBE_BIND_ADDRESS: '127.0.0.1:0',
    };
    for (const example of await examplesOf('controller')) {
      const { output, interrupt, ended } = start(example, { environment });
      await until(() => output.stderr.includes('"msg":"started"'), `the start of ${example}`);
      interrupt();
      expect({ example, code: await ended }).toEqual({ example, code: 0 });
    }
    for (const example of await examplesOf('local status')) {
      expect((await succeed(example, options)).stdout).toMatch(/^The control plane is running\n/);
    }
    for (const example of down)
      expect((await succeed(example, options)).stdout).toBe('The control plane has stopped\n');
  });
});
