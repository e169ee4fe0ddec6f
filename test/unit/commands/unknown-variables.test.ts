// Which environment variables are reported as misspelled, and how.
import { describe, expect, it } from 'vitest';

import { knownVariables } from '../../../src/commands/program.ts';
import { findUnknownVariables, renderUnknownVariable } from '../../../src/commands/unknown-variables.ts';
import { nearestOf } from '../../../src/lib/compare-text.ts';
import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';

const found = (environment: Record<string, string>) =>
  findUnknownVariables(environment, controllerOptions, knownVariables);

describe('an unknown variable', () => {
  it('is reported with the nearest name', async () => {
    const [unknown, ...others] = await found({ ROLEALERTS_INTERVALL: '5m', ROLEALERTS_INTERVAL: '6m', PATH: '/bin' });
    expect(unknown).toEqual({ variable: 'ROLEALERTS_INTERVALL', nearest: 'ROLEALERTS_INTERVAL' });
    expect(others).toEqual([]);
    expect(renderUnknownVariable(unknown!)).toBe(
      'The environment variable ROLEALERTS_INTERVALL is ignored: did you mean ROLEALERTS_INTERVAL?',
    );
  });

  it('is reported without a name when none is similar', async () => {
    const [unknown] = await found({ ROLEALERTS_SOMETHING_VERY_DIFFERENT: '1' });
    expect(unknown).toEqual({ variable: 'ROLEALERTS_SOMETHING_VERY_DIFFERENT' });
    expect(renderUnknownVariable(unknown!)).toBe(
      'The environment variable ROLEALERTS_SOMETHING_VERY_DIFFERENT is ignored: no option has this name.',
    );
  });
});

it.each([
  ['an option of another command', { ROLEALERTS_AUTH_URL: 'https://a', ROLEALERTS_STATE_DIR: 'x' }],
  ['an empty variable', { ROLEALERTS_INTERVALL: '' }],
  [
    'the links of Services whose names begin with rolealerts',
    {
      ROLEALERTS_METRICS_SERVICE_HOST: '10.0.0.1',
      ROLEALERTS_METRICS_SERVICE_PORT: '8080',
      ROLEALERTS_METRICS_SERVICE_PORT_METRICS: '8080',
      ROLEALERTS_METRICS_PORT: 'tcp://10.0.0.1:8080',
      ROLEALERTS_METRICS_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      ROLEALERTS_METRICS_PORT_8080_TCP_ADDR: '10.0.0.1',
      ROLEALERTS_METRICS_PORT_8080_TCP_PORT: '8080',
      ROLEALERTS_METRICS_PORT_8080_TCP_PROTO: 'tcp',
    },
  ],
])('%s is not reported', async (_, environment) => {
  expect(await found(environment)).toEqual([]);
});

describe('the nearest name', () => {
  it.each([
    ['KUBECONFG', 'KUBECONFIG'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['LEADER_ELECTION', 'LEADER_ELECT'],
    ['READ_ONYL', 'READ_ONLY'],
    ['', undefined],
    ['XYZ', undefined],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestOf(name, ['KUBECONFIG', 'LOG_LEVEL', 'LEADER_ELECT', 'READ_ONLY'])).toBe(nearest);
  });
});
