// The commands to try, which can be pasted, and the table that kubectl prints.
import { execFileSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { renderServerTable } from '../../../../src/local/demo/demo-cluster.ts';
import { nextSteps, renderNextSteps } from '../../../../src/local/demo/next-steps.ts';

const access = {
  program: 'npm run -s rolealerts --',
  kubectl: { path: '/home/a user/kubectl' },
  kubeconfigPath: "/tmp/it's here/kubeconfig",
  token: 'secret-token',
  serviceURL: 'http://127.0.0.1:1',
};

describe('the commands to try', () => {
  const steps = nextSteps(access);

  /** How a shell reads the command: one argument a line. */
  function argumentsOf(command: string): readonly string[] {
    const script = `set -- ${command}; printf '%s\\n' "$@"`;
    return execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
  }

  it('are read by a shell as they are meant', () => {
    const [trace = [], look = [], register = [], events = [], flip = [], unbind = [], request = []] = steps.map(
      ({ command }) => argumentsOf(command),
    );
    expect(trace.slice(-6)).toEqual(['trace', '--kubeconfig', "/tmp/it's here/kubeconfig", '-n', 'demo', 'corrected']);
    expect(look.slice(0, 3)).toEqual(['/home/a user/kubectl', '--kubeconfig', "/tmp/it's here/kubeconfig"]);
    expect(register.slice(-3)).toEqual(['describe', 'rolealertconnection', 'allowing']);
    expect(events.slice(-4)).toEqual(['demo', 'get', 'events', '--sort-by=.eventTime']);
    expect(flip.join('|')).toMatch(
      /^curl\|-i\|-X\|PATCH\|-H\|authorization: Bearer secret-token\|-H\|content-type: application\/json\|-d\|{"properties":{"isActive":false}}\|http:\/\/127\.0\.0\.1:1\/subscriptions\/[^|]+\?api-version=[^|]+$/,
    );
    expect(unbind.slice(-3)).toEqual(['delete', 'clusterrolebinding', 'demo-eve']);
    expect(request.at(-1)).toMatch(/^rolealerts\.dev\/requestedAt=[0-9]+$/);
  });

  it('have descriptions that fit 80 columns', () => {
    for (const { description } of steps) expect(description.length).toBeLessThan(80);
  });

  it('stand alone on their lines', () => {
    const lines = renderNextSteps(access);
    for (const { command } of steps) expect(lines).toContain(command);
  });

  it('leave out those that need kubectl when there is none, with the reason', () => {
    const without = { ...access, kubectl: { whyNot: 'There is no kubectl on the PATH' } };
    expect(nextSteps(without).map(({ command }) => /trace|curl/.exec(command)?.[0])).toEqual(['trace', 'curl']);
    expect(renderNextSteps(without)).toContain(
      'The commands that need kubectl are left out. There is no kubectl on the PATH.',
    );
  });
});

it('the table of the API server is printed as kubectl prints it', () => {
  const table = {
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Scope', priority: 1 },
      { name: 'In-Sync', priority: 0 },
      { name: 'Incidents', priority: 0 },
    ],
    rows: [
      { cells: ['owners', 'subscriptions/1', '2/2', 3] },
      { cells: ['a-longer-name', 'subscriptions/2', null, 12] },
    ],
  };
  expect(renderServerTable(table)).toBe(
    'NAME            IN-SYNC   INCIDENTS\nowners          2/2       3\na-longer-name             12\n',
  );
  expect(renderServerTable(undefined)).toBe('\n');
});
