// How flags, the environment and defaults become values, and what is said when they cannot.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { buildCommand, defineCommand } from '../../../src/commands/command.ts';
import { loginOptions } from '../../../src/commands/login.ts';
import { suspendOptions } from '../../../src/commands/policy-edits.ts';
import { runProgram } from '../../../src/commands/program.ts';
import { serveOptions } from '../../../src/commands/serve.ts';
import type { Options } from '../../../src/lib/options/option.ts';
import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

const manyOptions = { ...loginOptions, ...serveOptions, ...controllerOptions };

async function valuesFor(args: readonly string[], env: Record<string, string> = {}, options: Options = manyOptions) {
  let seen: Record<string, unknown> = {};
  const run = async (values: object) => {
    seen = values as Record<string, unknown>;
    return 0;
  };
  const spec = defineCommand({ name: 'try', description: 'x', examples: ['rolealerts try'], options, run });
  await buildCommand(spec, { host: recordingHost(env).host, done: () => undefined }).parseAsync([...args], {
    from: 'user',
  });
  return seen;
}

describe('values', () => {
  it('are the defaults when nothing is said', async () => {
    expect(await valuesFor([])).toMatchObject({
      interval: 900_000,
      readOnly: false,
      watchNamespaces: [],
      metricsBindAddress: { host: '', port: 8080 },
      healthProbeBindAddress: { host: '', port: 9440 },
      logFormat: 'json',
      kubeconfig: undefined,
    });
  });

  it('come from the environment, and from a flag before that', async () => {
    const env = { ROLEALERTS_INTERVAL: '30s', ROLEALERTS_READ_ONLY: 'true', ROLEALERTS_WATCH_NAMESPACES: 'a,b' };
    expect(await valuesFor([], env)).toMatchObject({ interval: 30_000, readOnly: true, watchNamespaces: ['a', 'b'] });
    expect(await valuesFor(['--interval', '1m'], env)).toMatchObject({ interval: 60_000 });
  });

  it('can be repeated where that means something', async () => {
    const values = await valuesFor([
      '--client',
      'a:1',
      '--client',
      'b:2',
      '--watch-namespaces',
      'x',
      '--watch-namespaces',
      'y,z',
    ]);
    expect(values).toMatchObject({ client: ['a:1', 'b:2'], watchNamespaces: ['x', 'y', 'z'] });
    const { allowedHosts } = await valuesFor(['--allowed-hosts', 'H.example., *.X.example', '--allowed-hosts', '::1']);
    expect(allowedHosts).toEqual(['h.example', '*.x.example', '[::1]']);
  });

  it.each(['HTTPS://Alerts.Example:443', 'https://alerts.example/'])(
    'of an origin are written one way: %s',
    async (url) => {
      expect(await valuesFor(['--public-url', url])).toMatchObject({ publicURL: 'https://alerts.example' });
    },
  );

  it.each([
    [['--read-only'], { readOnly: true }],
    [['--read-only=true'], { readOnly: true }],
    [['--read-only=false'], { readOnly: false }],
    [['--no-read-only'], { readOnly: false }],
    [['--read-only', '--no-read-only'], { readOnly: false }],
    [['--no-read-only', '--read-only=1'], { readOnly: true }],
    [['--read-only', '--leader-elect'], { readOnly: true, leaderElect: true }],
    [['--no-browser'], { browser: false }],
    [['--browser'], { browser: true }],
    [[], { readOnly: false, browser: true }],
  ])('of switches: %j', async (args, values) => {
    expect(await valuesFor(args)).toMatchObject(values);
  });

  it.each(['--read-only=false', '--no-read-only'])('of a switch are those of the flag %s', async (flag) => {
    expect(await valuesFor([flag], { ROLEALERTS_READ_ONLY: 'true' })).toMatchObject({ readOnly: false });
  });

  it('of a switch that is on by default may come from the environment', async () => {
    expect(await valuesFor([], { ROLEALERTS_BROWSER: 'false' })).toMatchObject({ browser: false });
    expect(await valuesFor(['--browser'], { ROLEALERTS_BROWSER: 'false' })).toMatchObject({ browser: true });
  });

  it('that choose what a command changes come from their flags alone', async () => {
    const env = { ROLEALERTS_ALL: 'true', ROLEALERTS_SELECTOR: 'a=b', ROLEALERTS_UNTIL: '2030-01-01T00:00:00Z' };
    expect(await valuesFor([], env, suspendOptions)).toMatchObject({ all: false, selector: undefined });
    expect(await valuesFor(['--all'], env, suspendOptions)).toMatchObject({ all: true, until: undefined });
  });

  it('of an address can be none', async () => {
    expect(await valuesFor(['--metrics-bind-address', '0'])).toMatchObject({ metricsBindAddress: undefined });
  });

  it.each([
    [['--read-only=maybe'], '--read-only needs true or false.'],
    [['--interval', '1s'], '--interval needs a duration from 5s to 24h0m0s, such as 15m.'],
    [['--page-size', '0'], '--page-size needs a whole number from 1 to 1000.'],
    [['--public-url', 'https://a/b'], '--public-url needs an http or https URL without path, query and user name.'],
    [['--public-url', 'ftp://a'], '--public-url needs an http or https URL without path, query and user name.'],
    [
      ['--connection-selector', 'shard in a'],
      "--connection-selector needs a label selector such as shard=a or 'shard in (a,b)'.",
    ],
    [
      ['--leader-election-id', 'A b'],
      '--leader-election-id needs a name of lower-case letters, digits, dots and dashes.',
    ],
    [
      ['--allowed-hosts', 'https://h.example'],
      '--allowed-hosts needs host names such as alerts.example.net or *.example.net, separated by commas, without scheme and port; omit it to allow every host.',
    ],
    [['--watch-namespaces', 'A_b'], '--watch-namespaces needs namespace names separated by commas.'],
    [
      ['--api-audiences', 'api://a b'],
      '--api-audiences needs audiences of up to 256 visible ASCII characters, separated by commas.',
    ],
    [
      ['--api-audiences', 'a'.repeat(257)],
      '--api-audiences needs audiences of up to 256 visible ASCII characters, separated by commas.',
    ],
    [
      ['--metrics-bind-address', 'x'],
      '--metrics-bind-address needs an address like 127.0.0.1:8080 or :8080, or 0 for none.',
    ],
    [['--listen', '0'], '--listen needs an address like 127.0.0.1:8080 or :8080.'],
  ])('%j are refused in one sentence', async (args, description) => {
    await expect(valuesFor(args)).rejects.toThrow(description);
  });

  it('name the variable when that is where they come from', async () => {
    await expect(valuesFor([], { ROLEALERTS_READ_ONLY: 'maybe' })).rejects.toThrow(
      'ROLEALERTS_READ_ONLY needs true or false.',
    );
  });
});

describe('the program', () => {
  it.each([
    [['--help'], 0, 'out', 'Commands:'],
    [['help', 'controller'], 0, 'out', '--read-only  '],
    [['help', 'local', 'up'], 0, 'out', 'Usage: rolealerts local up'],
    [['nonsense'], 64, 'err', "rolealerts: Unknown command 'nonsense'.\n  See --help.\n"],
    [['controler'], 64, 'err', "Unknown command 'controler'.\n  Did you mean controller?\n  See --help.\n"],
    [['serve', '--scanner', '/no/such.yaml'], 64, 'err', 'rolealerts: Cannot read the scanner file /no/such.yaml'],
    [
      ['serve', '--listen', '0.0.0.0:0'],
      64,
      'err',
      'rolealerts: Set a static token, a client or a user (--static-token, --client, --user or --registrations)',
    ],
  ] as const)('%j ends with %i and says so on %s', async (args, exitCode, stream, text) => {
    const { host, written } = recordingHost();
    expect(await runProgram(args, host)).toBe(exitCode);
    expect(written[stream]).toContain(text);
  });

  it('lists the exit codes in the help of each command, with one meaning', async () => {
    const { host, written } = recordingHost();
    await runProgram(['--help'], host);
    const lines = () => written.out.split('\n').filter((line) => line.startsWith('Exit codes: '));
    expect(lines()).toEqual(['Exit codes: 0 success, 1 failed, 2 changes or work remain, 64 wrong usage.']);
    const names = [...written.out.matchAll(/^ {2}([a-z]+)(?: .*)?$/gm)].flatMap(([, name]) =>
      name === 'help' ? [] : [name!],
    );
    expect(names).toEqual(expect.arrayContaining(['controller', 'status', 'version']));
    for (const name of names) {
      written.out = '';
      await runProgram(name === 'local' ? ['local', 'up', '--help'] : [name, '--help'], host);
      expect([name, lines()]).toEqual([name, [expect.stringMatching(/: 0 \w.*, 1 \w.*, 64 wrong usage\.$/)]]);
    }
  });

  it.each([['version'], ['--version'], ['-V']])('%s shows what to quote in a report', async (name) => {
    const { host, written } = recordingHost();
    expect(await runProgram([name], host)).toBe(0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const [first, commit, ...rest] = written.out.split('\n');
    expect(first).toBe(`rolealerts ${version}`);
    expect(commit).toMatch(/^commit: {3}([0-9a-f]{40}(-dirty)?|unknown)$/);
    expect(rest).toEqual(['node:     v26.0.0', 'platform: linux/x64', '']);
  });

  it.each([
    ['/usr/local/bin/rolealerts', 'rolealerts'],
    ['/usr/local/bin/kubectl-rolealerts', 'kubectl rolealerts'],
    ['C:\\bin\\kubectl-rolealerts.exe', 'kubectl rolealerts'],
    ['/opt/kubectl-rolealerts/rolealerts.mjs', 'rolealerts'],
  ])('as %s is called %s in its usage', async (programFile, name) => {
    const { host, written } = recordingHost();
    await runProgram(['status', '--help'], { ...host, programFile });
    expect(written.out).toContain(`Usage: ${name} status [options] [NAME...]\n`);
  });
});
