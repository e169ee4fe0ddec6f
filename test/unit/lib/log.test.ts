// The lines of the log: JSON for machines, and the same facts on one line for people.
import { expect, it } from 'vitest';

import { formatLogLine } from '../../../src/lib/log-text.ts';
import { createLogger, type LogFormat, type Logger } from '../../../src/lib/log.ts';
import { errorLines } from '../../support/checks/log-lines.ts';

const utc = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/;

function linesOf(format: LogFormat, write: (log: Logger) => void): string[] {
  const lines: string[] = [];
  write(createLogger({ level: 'info', format, sink: { write: (line) => void lines.push(line) } }));
  return lines;
}

const writeFailure = (log: Logger) => {
  log.debug({}, 'not shown');
  log.child({ namespace: 'team' }).warn({ name: 'prod', error: 'no route' }, 'reconcile failed');
};

it('a JSON line has the level as a word and the time in UTC', () => {
  const lines = linesOf('json', writeFailure);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'warn',
    time: expect.stringMatching(utc),
    namespace: 'team',
    name: 'prod',
    error: 'no route',
    msg: 'reconcile failed',
  });
});

it('the checks of other tests recognize the line of an error', () => {
  const lines = linesOf('json', (log) => {
    writeFailure(log);
    log.error({}, 'broken');
  });
  expect(errorLines(lines)).toEqual([lines[1]]);
});

it('a text line has the same facts, the error among them', () => {
  const lines = linesOf(formatLogLine, writeFailure);
  expect(lines.map((line) => line.replace(utc, 'TIME'))).toEqual([
    'TIME WARN  reconcile failed namespace=team name=prod error="no route"\n',
  ]);
});

it('the stack of a bug follows its text line, indented', () => {
  const [text = ''] = linesOf(formatLogLine, (log) =>
    log.error({ scope: 'a', err: new TypeError('no such field') }, 'broken'),
  );
  const [line, ...stack] = text.trimEnd().split('\n');
  expect(line).toMatch(/ ERROR broken scope=a error="no such field"$/);
  expect(stack[0]).toBe('    TypeError: no such field');
  expect(stack.slice(1).every((each) => each.startsWith('        at '))).toBe(true);
});

it.each([
  ['subscriptions/0b1f/resourceGroups/a', 'subscriptions/0b1f/resourceGroups/a'],
  ['https://[::1]:8443', 'https://[::1]:8443'],
  ['two words', '"two words"'],
  ['a=b', '"a=b"'],
  ['', '""'],
  ['say "yes"\nnow', '"say \\"yes\\"\\nnow"'],
  ['\u001b[31mred\u202e \u009b', '"\\u001b[31mred\\u202e \\u009b"'],
  ['\u2028', '"\\u2028"'],
  [3, '3'],
  [null, 'null'],
  [['A', 'B'], '["A","B"]'],
  [{ interval: '1m0s' }, '{"interval":"1m0s"}'],
])('a value of a text line %j is %s', (value, expected) => {
  const line = JSON.stringify({ level: 'info', time: 'TIME', value, msg: 'started' });
  expect(formatLogLine(line)).toBe(`TIME INFO  started value=${expected}\n`);
});

it('text from outside cannot add a line or move the cursor through a stack', () => {
  const err = { type: 'Error', message: 'x', stack: 'Error: x\u001b[2J\r\n    at a' };
  const text = formatLogLine(JSON.stringify({ level: 'error', time: 'TIME', err, msg: 'broken' }));
  expect(text).toBe('TIME ERROR broken error=x\n    Error: x\\u001b[2J\\u000d\n        at a\n');
});
