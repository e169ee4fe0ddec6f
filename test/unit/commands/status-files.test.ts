// The command `status` with files, which have a timeline and a budget: formats, exit codes and mistakes.
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { runProgram } from '../../../src/commands/program.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const files = `apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertConnection
metadata: {name: prod}
spec:
  endpoint: {baseURL: https://service.example}
  auth: {tokenSecretRef: {name: alerts, key: token}}
---
apiVersion: rolealerts.dev/v1alpha1
kind: RoleAlertPolicy
metadata: {name: owners}
spec:
  connectionRef: {name: prod}
  scope: subscriptions/a
  alerts:
    - name: Owners
      state: Inactive
      dismissal: {reason: tracked in SEC-1182, until: "${inDays(20)}"}
`;

async function run(args: readonly string[], stdin = files) {
  const { host, written } = recordingHost({}, stdin);
  return { code: await runProgram(['status', ...args, '-f', '-'], host), ...written };
}

test('shows the timeline and the budget, or the one that is asked for', async () => {
  const { code, out, err } = await run(['-n', 'payments']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^What ends within 30 days\nTIME [^]+\n\nRequests per hour\nCONNECTION /);
  expect((await run(['-n', 'payments', '--show', 'timeline'])).out).toMatch(
    /\S+ {3}(19|20)d {3}dismissal ends {3}policy payments\/owners {3}the operator activates Owners\n$/,
  );
  expect((await run(['--show', 'timeline', '--days', '7'])).out).toMatch(/^No dismissal or suspension ends until /);
});

test.each(['json', 'yaml'])('prints %s with a version for scripts', async (format) => {
  const { out } = await run(['-o', format]);
  expect(parse(out)).toMatchObject({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'FleetStatus',
    timeline: { entries: [{ kind: 'DismissalEnds', object: 'policy default/owners' }] },
    budget: [{ now: { scopes: 1, requestsPerHour: 4 } }],
  });
});

test.each([
  ['markdown', '# Role alerts of files\n\n## What ends within 30 days\n\n| time | in | what |'],
  ['html', '<!doctype html>\n<html lang="en">'],
])('prints a page as %s', async (format, start) => {
  const { code, out } = await run(['-o', format]);
  expect([code, out.slice(0, start.length)]).toEqual([0, start]);
  expect(out).toContain('the operator activates Owners');
});

test('the budget ends with 0 while every limit suffices, and with 2 when one that is asked for does not', async () => {
  const enough = await run(['--show', 'budget']);
  expect({ code: enough.code, err: enough.err }).toEqual({ code: 0, err: '' });
  expect(enough.out).toContain(
    '1        15m        The policies need 4 requests an hour while nothing drifts, and limits.requestsPerHour allows 7200.\n',
  );
  const small = files.replace('spec:', 'spec:\n  limits: {requestsPerHour: 3}');
  const tooSmall = await run(['--show', 'timeline,budget'], small);
  expect(tooSmall.code).toBe(2);
  expect(tooSmall.out).toContain('Connection default/prod: its policies need 4 requests an hour ');
  expect((await run([], small)).code).toBe(0);
});

test('says which connection is missing', async () => {
  const { out } = await run(['--show', 'budget'], files.split('---\n')[1]);
  expect(out).toContain('Connection default/prod was not read, so its policies are not counted.\n');
});

test('files with errors are refused, with each place', async () => {
  const { code, out, err } = await run([], files.replace('state: Inactive', 'state: Off'));
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^-:16:7: error: spec\.alerts\[0\]\.state: .*\n/);
  expect(err).toContain('rolealerts: The files have errors: correct them; rolealerts validate checks them.\n');
});

const withoutStatus =
  'Files have no status: with --filename, show the timeline and the budget of all policies, without --watch.';

test.each([
  [['--days', '0'], '--days needs a whole number from 1 to 366.'],
  [
    ['--show', 'budgets'],
    '--show needs sections among attention, incidents, dismissals, timeline, budget, policies, connections.',
  ],
  [['--show', 'timeline,incidents'], withoutStatus],
  [['owners'], withoutStatus],
  [['--watch'], withoutStatus],
  [['--severity', 'High'], withoutStatus],
  [['--not-ready'], withoutStatus],
  [['-l', 'team=payments'], withoutStatus],
])('%j is refused with what is expected', async (args, message) => {
  const { code, err } = await run(args);
  expect([code, err]).toEqual([64, `rolealerts: ${message}\n`]);
});
