// The commands `timeline` and `budget` with files: formats, exit codes and mistakes.
import { describe, expect, test } from 'vitest';
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
  return { code: await runProgram([...args, '-f', '-'], host), ...written };
}

describe('timeline', () => {
  test('shows the dismissals of files within the days', async () => {
    const { code, out, err } = await run(['timeline', '-n', 'payments']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /\S+ {3}(19|20)d {3}dismissal ends {3}policy payments\/owners {3}the operator activates Owners\n$/,
    );
    expect((await run(['timeline', '--days', '7'])).out).toMatch(/: no change\n$/);
  });

  test.each(['json', 'yaml'])('prints %s with a version for scripts', async (format) => {
    const { out } = await run(['timeline', '-o', format]);
    expect(parse(out)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'Timeline',
      entries: [{ kind: 'DismissalEnds', object: 'policy default/owners' }],
    });
  });
});

describe('budget', () => {
  test('ends with 0 while every limit suffices, and with 2 when one does not', async () => {
    const enough = await run(['budget']);
    expect({ code: enough.code, err: enough.err }).toEqual({ code: 0, err: '' });
    expect(enough.out).toContain(
      '  now: 1 scope at 15m. The policies need 4 requests an hour while nothing drifts, and limits.requestsPerHour allows 7200.\n',
    );
    const tooMany = await run(['budget', '--scopes', '5000', '--interval', '5m']);
    expect(tooMany.code).toBe(2);
    expect(tooMany.out).toContain(
      '  then: 5000 scopes at 5m. Connection default/prod: its policies need 60000 requests an hour ',
    );
  });

  test.each(['json', 'yaml'])('prints %s with a version for scripts', async (format) => {
    const { out } = await run(['budget', '-o', format, '--pages', '2', '--default-interval', '1h']);
    expect(parse(out)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'Budget',
      connections: [{ now: { scopes: 1, requestsPerHour: 2 } }],
    });
  });

  test('says on standard error which connection is missing', async () => {
    const { err } = await run(['budget'], files.split('---\n')[1]);
    expect(err).toBe('rolealerts: Connection default/prod was not read, so its policies are not counted.\n');
  });
});

test('files with errors are refused, with each place', async () => {
  const { code, out, err } = await run(['budget'], files.replace('state: Inactive', 'state: Off'));
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^-:16:7: error: spec\.alerts\[0\]\.state: .*\n/);
  expect(err).toContain('rolealerts: The files have errors: correct them; rolealerts validate checks them.\n');
});

test.each([
  [['timeline', '--days', '0'], '--days needs a whole number from 1 to 366.'],
  [['budget', '--interval', '1s'], '--interval needs a duration from 5s to 24h0m0s, such as 8h.'],
  [['budget', '--scopes', '0'], '--scopes needs a whole number from 1 to 1000000.'],
])('%j is refused with what is expected', async (args, message) => {
  const { code, err } = await run(args);
  expect([code, err]).toEqual([64, `rolealerts: ${message}\n`]);
});
