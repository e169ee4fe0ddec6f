// How flags, the environment and defaults become values, and what is said when they cannot.
import { describe, expect, it } from 'vitest';

import { buildCommand, defineCommand } from '../../../src/cli/command.ts';
import type { Host } from '../../../src/cli/host.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { controllerOptions } from '../../../src/config/controller-options.ts';
import { environmentName } from '../../../src/config/option.ts';
import { serveOptions } from '../../../src/config/serve-options.ts';

function hostWith(env: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    write: (text: string) => void (written[name] += text),
    isTerminal: false,
    columns: 80,
    rows: 24,
  });
  const host: Host = {
    env,
    facts: { platform: 'linux', arch: 'x64', env, execPath: process.execPath },
    workingDirectory: '/nowhere',
    out: output('out'),
    err: output('err'),
    stopping: new AbortController().signal,
  };
  return { host, written };
}

async function valuesFor(args: readonly string[], env: Record<string, string> = {}) {
  let seen: Record<string, unknown> = {};
  const options = { ...serveOptions, ...controllerOptions };
  const run = async (values: object) => {
    seen = values as Record<string, unknown>;
    return 0;
  };
  const spec = defineCommand({ name: 'try', description: 'x', options, run });
  await buildCommand(spec, hostWith(env).host, () => undefined).parseAsync([...args], { from: 'user' });
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
  });

  it.each(['HTTPS://Alerts.Example:443', 'https://alerts.example/'])(
    'of an origin are written one way: %s',
    async (url) => {
      expect(await valuesFor(['--public-url', url])).toMatchObject({ publicURL: 'https://alerts.example' });
    },
  );

  it('of an address can be none', async () => {
    expect(await valuesFor(['--metrics-bind-address', '0'])).toMatchObject({ metricsBindAddress: undefined });
  });

  it.each([
    [['--interval', '1s'], '--interval needs a duration from 5s to 24h0m0s, such as 15m.'],
    [['--log-level', 'loud'], '--log-level needs one of debug, info, warn, error.'],
    [['--page-size', '0'], '--page-size needs a whole number from 1 to 1000.'],
    [['--public-url', 'https://a/b'], '--public-url needs an http or https URL without path, query and user name.'],
    [['--public-url', 'https://a?b'], '--public-url needs an http or https URL without path, query and user name.'],
    [['--public-url', 'https://u@a'], '--public-url needs an http or https URL without path, query and user name.'],
    [['--public-url', 'ftp://a'], '--public-url needs an http or https URL without path, query and user name.'],
    [['--public-url', 'a:80'], '--public-url needs an http or https URL without path, query and user name.'],
    [
      ['--connection-selector', 'shard in a'],
      "--connection-selector needs a label selector such as shard=a or 'shard in (a,b)'.",
    ],
    [
      ['--leader-election-id', 'A b'],
      '--leader-election-id needs a name of lower-case letters, digits, dots and dashes.',
    ],
    [['--watch-namespaces', 'A_b'], '--watch-namespaces needs namespace names separated by commas.'],
    [
      ['--metrics-bind-address', 'x'],
      '--metrics-bind-address needs an address like 127.0.0.1:8080 or :8080, or 0 for none.',
    ],
  ])('%j are refused in one sentence', async (args, description) => {
    await expect(valuesFor(args)).rejects.toThrow(description);
  });

  it('name the variable when that is where they come from', async () => {
    await expect(valuesFor([], { ROLEALERTS_READ_ONLY: 'maybe' })).rejects.toThrow(
      'ROLEALERTS_READ_ONLY needs true or false.',
    );
  });
});

it('every flag has one name in the environment', () => {
  expect(environmentName('metrics-bind-address')).toBe('ROLEALERTS_METRICS_BIND_ADDRESS');
});

describe('the program', () => {
  it.each([
    [['--help'], 0, 'out', 'Commands:'],
    [['controller', '--help'], 0, 'out', '--watch-namespaces'],
    [['--version'], 0, 'out', '0.1.0'],
    [['nonsense'], 2, 'err', "unknown command 'nonsense'"],
    [['controller', '--nonsense'], 2, 'err', "unknown option '--nonsense'"],
    [['serve', '--page-size', 'x'], 2, 'err', 'rolealerts: --page-size needs a whole number from 1 to 1000.'],
    [['serve', '--scanner', '/no/such.yaml'], 2, 'err', 'rolealerts: Cannot read the scanner file /no/such.yaml'],
    [['serve', '--listen', '0.0.0.0:0'], 2, 'err', 'rolealerts: Set a static token, a client or a user'],
  ] as const)('%j ends with %i and says so on %s', async (args, exitCode, stream, text) => {
    const { host, written } = hostWith();
    expect(await runProgram(args, host, '0.1.0')).toBe(exitCode);
    expect(written[stream]).toContain(text);
  });

  it('refuses to start with TLS verification switched off', async () => {
    const { host, written } = hostWith({ NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(await runProgram(['controller'], host, '0.1.0')).toBe(2);
    expect(written.err).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0');
  });
});
