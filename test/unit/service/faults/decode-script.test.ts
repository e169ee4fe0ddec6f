import { describe, expect, test } from 'vitest';

import { decodeFaultScript } from '../../../../src/service/faults/decode-script.ts';
import { faultRoutes } from '../../../../src/service/faults/fault-routes.ts';

const ruleOf = (rule: unknown) => {
  const { value: script, problems } = decodeFaultScript({ rules: [rule] });
  expect(problems).toEqual([]);
  return script!.rules[0]!;
};

const problemsOf = (rule: unknown) => decodeFaultScript({ rules: [rule] }).problems;

describe('a problem names its path:', () => {
  test.each([
    ['rules[0].fault must name exactly one of latency', { fault: {} }],
    ['rules[0].fault.explode is not a known member', { fault: { explode: true } }],
    ['rules[0].fault.code is only allowed with status', { fault: { pageLoop: true, code: 'X' } }],
    ['latency.ms must be a whole number from 0 to 600000', { fault: { latency: { ms: 600_001 } } }],
    ['latency.minMs must not be above maxMs', { fault: { latency: { minMs: 2, maxMs: 1 } } }],
    ['latency must have either ms, or minMs and maxMs', { fault: { latency: { ms: 1, maxMs: 1 } } }],
    ['rules[0].fault.status must be a whole number from 200 to 599', { fault: { status: 199 } }],
    ['fault.retryAfter must be up to', { fault: { status: 429, retryAfter: 'a\r\nset-cookie: b' } }],
    ['fault.slow.pieceBytes must be a whole', { fault: { slow: { pieceBytes: 0, everyMs: 1 } } }],
    ['rules[0].fault.malformed must be one of truncated, empty', { fault: { malformed: 'oddly' } }],
    ['rules[0].fault.foreignNextLink must be a non-empty text', { fault: { foreignNextLink: '' } }],
    ['rules[0].fault.reRaise.afterMs must be a whole number', { fault: { reRaise: { afterMs: '1' } } }],
    ['match.routes[0] must be one of', { match: { routes: ['x'] }, fault: { status: 500 } }],
    [
      'rules[0].match.routes[1] is not a route that pageLoop applies to',
      { match: { routes: ['list-alerts', 'token'] }, fault: { pageLoop: true } },
    ],
    ['match matches no request', { match: { routes: ['token'], scope: 's' }, fault: { status: 500 } }],
    ['match matches no request: only update-alert has an alert', { match: { alert: 'A' }, fault: { pageLoop: true } }],
    ['rules[0].match.scope matches no request', { match: { scope: '/' }, fault: { status: 500 } }],
    ['rules[0].match.alert matches no request', { match: { alert: 'A/B' }, fault: { status: 500 } }],
    [
      'rules[0].match.scope must be up to 2048 characters',
      { match: { scope: 's'.repeat(2049) }, fault: { status: 500 } },
    ],
    ['limits.probability must be a number', { limits: { probability: 1.1 }, fault: { status: 500 } }],
  ])('%s', (problem, rule) => {
    expect(problemsOf(rule)).toContainEqual(expect.stringContaining(problem));
  });

  test.each([
    { document: [], problem: 'it must be an object' },
    { document: { rules: [], seed: -1 }, problem: 'seed must be a whole number from 0 to 4294967295' },
    {
      document: { rules: Array.from({ length: 1001 }, () => ({ fault: { status: 500 } })) },
      problem: 'rules must have at most 1000 entries',
    },
  ])('$problem', ({ document, problem }) => {
    expect(decodeFaultScript(document).problems).toContainEqual(problem);
  });
});

describe('a match', () => {
  test('that is left out fits every request that the fault can happen to', () => {
    expect([...ruleOf({ fault: { status: 500 } }).match.routes]).toEqual(faultRoutes);
    expect([...ruleOf({ fault: { pageLoop: true } }).match.routes]).toEqual(['list-alerts']);
  });

  test('of a scope or an alert leaves only the routes that have one', () => {
    expect([...ruleOf({ match: { scope: 's' }, fault: { status: 500 } }).match.routes]).toEqual([
      'list-alerts',
      'update-alert',
    ]);
    expect([...ruleOf({ match: { alert: 'A' }, fault: { status: 500 } }).match.routes]).toEqual(['update-alert']);
  });
});
