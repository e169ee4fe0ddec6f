import { describe, expect, test } from 'vitest';

import { decodeFaultScript, requireFaultScript } from '../../../../src/service/faults/decode-script.ts';
import { faultRoutes } from '../../../../src/service/faults/fault-routes.ts';

const ruleOf = (rule: unknown) => {
  const { value: script, problems } = decodeFaultScript({ rules: [rule] });
  expect(problems).toEqual([]);
  return script!.rules[0]!;
};

const problemsOf = (rule: unknown) => decodeFaultScript({ rules: [rule] }).problems;

describe('a fault is read from', () => {
  test.each([
    { fault: { latency: { ms: 5 } }, expected: { kind: 'latency', minMs: 5, maxMs: 5 } },
    { fault: { latency: { minMs: 0, maxMs: 600_000 } }, expected: { kind: 'latency', minMs: 0, maxMs: 600_000 } },
    { fault: { status: 503 }, expected: { kind: 'status', status: 503 } },
    {
      fault: { status: 429, code: 'Slow', retryAfter: 1.5 },
      expected: { kind: 'status', status: 429, code: 'Slow', retryAfter: { text: '1.5' } },
    },
    {
      fault: { status: 429, retryAfter: 'soon, friend' },
      expected: { kind: 'status', status: 429, retryAfter: { text: 'soon, friend' } },
    },
    {
      fault: { status: 429, retryAfter: { inSeconds: -3 } },
      expected: { kind: 'status', status: 429, retryAfter: { inSeconds: -3 } },
    },
    { fault: { cut: { afterBytes: -1 } }, expected: { kind: 'cut', afterBytes: -1 } },
    { fault: { slow: { pieceBytes: 1, everyMs: 0 } }, expected: { kind: 'slow', pieceBytes: 1, everyMs: 0 } },
    { fault: { huge: { bytes: 2 ** 30 } }, expected: { kind: 'huge', bytes: 2 ** 30 } },
    { fault: { malformed: 'bad-utf8' }, expected: { kind: 'malformed', how: 'bad-utf8' } },
    { fault: { pageLoop: true }, expected: { kind: 'pageLoop' } },
    { fault: { foreignNextLink: 'not a link' }, expected: { kind: 'foreignNextLink', link: 'not a link' } },
    { fault: { ignoreUpdate: true }, expected: { kind: 'ignoreUpdate' } },
    { fault: { loseRequest: true }, expected: { kind: 'loseRequest' } },
    { fault: { loseReply: true }, expected: { kind: 'loseReply' } },
    { fault: { reRaise: { afterMs: 0 } }, expected: { kind: 'reRaise', afterMs: 0 } },
    { fault: { expireToken: true }, expected: { kind: 'expireToken' } },
  ])('$fault', ({ fault, expected }) => {
    expect(ruleOf({ fault }).fault).toEqual(expected);
  });
});

describe('a problem names its path:', () => {
  test.each([
    { rule: 1, problem: 'rules[0] must be an object' },
    { rule: {}, problem: 'rules[0].fault is missing' },
    { rule: { fault: {} }, problem: 'rules[0].fault must name exactly one of latency' },
    { rule: { fault: { pageLoop: true, status: 500 } }, problem: 'rules[0].fault must name exactly one of' },
    { rule: { fault: { explode: true } }, problem: 'rules[0].fault.explode is not a known member' },
    { rule: { fault: { pageLoop: true, code: 'X' } }, problem: 'rules[0].fault.code is only allowed with status' },
    { rule: { fault: { pageLoop: false } }, problem: 'rules[0].fault.pageLoop must be true' },
    { rule: { fault: { latency: {} } }, problem: 'rules[0].fault.latency must have either ms, or minMs' },
    { rule: { fault: { latency: { ms: 600_001 } } }, problem: 'latency.ms must be a whole number from 0 to 600000' },
    { rule: { fault: { latency: { minMs: 2, maxMs: 1 } } }, problem: 'latency.minMs must not be above maxMs' },
    { rule: { fault: { latency: { minMs: 1 } } }, problem: 'latency must have either ms, or minMs and maxMs' },
    { rule: { fault: { latency: { ms: 1, maxMs: 1 } } }, problem: 'latency must have either ms, or minMs and maxMs' },
    { rule: { fault: { latency: { ms: 1, maxMs: 1, minMs: 1 } } }, problem: 'latency must have either ms, or minMs' },
    { rule: { fault: { status: 199 } }, problem: 'rules[0].fault.status must be a whole number from 200 to 599' },
    { rule: { fault: { status: 429, retryAfter: 'a\r\nset-cookie: b' } }, problem: 'fault.retryAfter must be up to' },
    { rule: { fault: { status: 429, retryAfter: 'ä' } }, problem: 'fault.retryAfter must be up to' },
    { rule: { fault: { status: 429, retryAfter: { in: 1 } } }, problem: 'fault.retryAfter.in is not a known member' },
    { rule: { fault: { cut: { afterBytes: -2 } } }, problem: 'rules[0].fault.cut.afterBytes must be a whole number' },
    { rule: { fault: { slow: { pieceBytes: 0, everyMs: 1 } } }, problem: 'fault.slow.pieceBytes must be a whole' },
    { rule: { fault: { huge: { bytes: 2 ** 30 + 1 } } }, problem: 'rules[0].fault.huge.bytes must be a whole number' },
    { rule: { fault: { malformed: 'oddly' } }, problem: 'rules[0].fault.malformed must be one of truncated, empty' },
    {
      rule: { fault: { foreignNextLink: '' } },
      problem: 'rules[0].fault.foreignNextLink must be a non-empty text',
    },
    {
      rule: { fault: { reRaise: { afterMs: '1' } } },
      problem: 'rules[0].fault.reRaise.afterMs must be a whole number',
    },
    { rule: { match: { route: [] }, fault: { status: 500 } }, problem: 'rules[0].match.route is not a known member' },
    { rule: { match: { routes: [] }, fault: { status: 500 } }, problem: 'rules[0].match.routes must not be empty' },
    { rule: { match: { routes: ['x'] }, fault: { status: 500 } }, problem: 'match.routes[0] must be one of' },
    {
      rule: { match: { routes: ['list-alerts', 'token'] }, fault: { pageLoop: true } },
      problem: 'rules[0].match.routes[1] is not a route that pageLoop applies to',
    },
    { rule: { match: { routes: ['token'], scope: 's' }, fault: { status: 500 } }, problem: 'match matches no request' },
    {
      rule: { match: { alert: 'A' }, fault: { pageLoop: true } },
      problem: 'match matches no request: only update-alert has an alert',
    },
    { rule: { match: { scope: '/' }, fault: { status: 500 } }, problem: 'rules[0].match.scope matches no request' },
    { rule: { match: { scope: 'a//b' }, fault: { status: 500 } }, problem: 'rules[0].match.scope matches no request' },
    { rule: { match: { alert: 'A/B' }, fault: { status: 500 } }, problem: 'rules[0].match.alert matches no request' },
    {
      rule: { match: { scope: 's'.repeat(2049) }, fault: { status: 500 } },
      problem: 'rules[0].match.scope must be up to 2048 characters',
    },
    { rule: { fault: { malformed: null } }, problem: 'rules[0].fault.malformed must be one of' },
    { rule: { match: { scope: 7 }, fault: { status: 500 } }, problem: 'rules[0].match.scope must be a non-empty text' },
    { rule: { limits: { times: 0 }, fault: { status: 500 } }, problem: 'rules[0].limits.times must be a whole number' },
    {
      rule: { limits: { after: -1 }, fault: { status: 500 } },
      problem: 'rules[0].limits.after must be a whole number',
    },
    { rule: { limits: { probability: 1.1 }, fault: { status: 500 } }, problem: 'limits.probability must be a number' },
  ])('$problem', ({ rule, problem }) => {
    expect(problemsOf(rule)).toContainEqual(expect.stringContaining(problem));
  });

  test.each([
    { document: [], problem: 'it must be an object' },
    { document: {}, problem: 'rules is missing' },
    { document: { rules: null }, problem: 'rules must be a list' },
    { document: undefined, problem: 'it must be an object' },
    { document: { rules: [], seed: -1 }, problem: 'seed must be a whole number from 0 to 4294967295' },
    { document: { rules: [], rule: 1 }, problem: 'rule is not a known member: write rules' },
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

test('a script that cannot be used is refused with a sentence for people', () => {
  expect(() => requireFaultScript({ rules: [{ fault: { status: 1 } }] }, 'faults.yaml')).toThrow(
    'The fault script faults.yaml is invalid: rules[0].fault.status must be a whole number from 200 to 599.',
  );
});
