// The options in the first line of the log: those that differ from their defaults, and no secret.
import { expect, test } from 'vitest';

import { changedOptions } from '../../../../src/commands/open-log.ts';
import { serveOptions } from '../../../../src/commands/serve.ts';
import type { Options, Values } from '../../../../src/lib/options/option.ts';
import { controllerOptions } from '../../../../src/operator/manager/controller-options.ts';

/** The values of a command that was given these texts by flag. */
function valuesOf<Set extends Options>(options: Set, given: Readonly<Record<string, string>>): Values<Set> {
  const entries = Object.entries<Options[string]>(options).map(([name, { flag, fallback, parse }]) => {
    const text = given[flag];
    const parsed = text === undefined ? { value: fallback } : parse([text]);
    if (!('value' in parsed)) throw new Error(`${flag} needs ${parsed.expected}`);
    return [name, parsed.value];
  });
  return Object.fromEntries(entries) as Values<Set>;
}

test('no option differs unless it was given', () => {
  expect(changedOptions(controllerOptions, valuesOf(controllerOptions, {}))).toEqual({});
  expect(changedOptions(serveOptions, valuesOf(serveOptions, {}))).toEqual({});
});

test('an option that was given its default does not differ', () => {
  const given = { interval: '15m', 'metrics-bind-address': ':8080', 'read-only': 'false', 'watch-namespaces': '' };
  expect(changedOptions(controllerOptions, valuesOf(controllerOptions, given))).toEqual({});
});

test.each([
  ['interval', '90s', '1m30s'],
  ['read-only', 'true', true],
  ['watch-namespaces', 'team-a, team-b', ['team-a', 'team-b']],
  ['api-audiences', 'https://a.example, api://b', ['https://a.example', 'api://b']],
  ['metrics-bind-address', '0', '0'],
  ['health-probe-bind-address', '[::1]:9440', '[::1]:9440'],
  ['connection-selector', 'shard in (a,b)', 'shard in (a,b)'],
  ['kubeconfig', '/etc/kubeconfig', '/etc/kubeconfig'],
  ['log-level', 'debug', 'debug'],
])('--%s=%s is shown as a user writes it', (flag, text, shown) => {
  const values = valuesOf(controllerOptions, { [flag]: text });
  expect(changedOptions(controllerOptions, values)).toEqual({ [flag]: shown });
});

test('no secret of the alerts service is shown, in any form', () => {
  const secrets = { 'static-token': 'canary', 'admin-token': 'canary', client: 'id:canary', user: 'name:canary' };
  const shown = JSON.stringify(changedOptions(serveOptions, valuesOf(serveOptions, secrets)));
  expect(JSON.parse(shown)).toEqual({
    'static-token': '[redacted]',
    'admin-token': '[redacted]',
    client: ['[redacted]'],
    user: ['[redacted]'],
  });
});
