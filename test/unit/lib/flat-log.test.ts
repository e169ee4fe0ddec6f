import { expect, test, vi } from 'vitest';

import { createFlatLogger, jsonFields, type FlatFields, type FlatLogger } from '../../../src/lib/flat-log.ts';
import { formatLogLine } from '../../../src/lib/log-text.ts';
import { createLogger, type LogFormat, type LoggerOptions, type LogLevel } from '../../../src/lib/log.ts';

interface Written {
  readonly level?: LogLevel;
  readonly format?: LogFormat;
  readonly message?: string;
}

type Create = (options: LoggerOptions) => Pick<FlatLogger, 'info'>;

function linesOf(create: Create, fields: FlatFields, written: Written = {}): string[] {
  const { level = 'info', format = 'json', message = 'request answered' } = written;
  const lines: string[] = [];
  const sink = { write: (line: string) => void lines.push(line.replace(utc, 'TIME')) };
  create({ level, format, sink }).info(fields, message);
  return lines;
}

const utc = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/;

test.each<FlatFields>([
  {},
  { method: 'GET', status: 200, durationMs: 0.1, clientAddress: '::1', requestID: 'a.b:c/d+e=f@~_-' },
  { absent: undefined, status: 404 },
  { text: 'a "quoted" back\\slash' },
  { text: 'line\nbreak\ttab\u0000\u001b[2J\u007f' },
  { text: 'é \u2028 \ud83d\ude00' },
  { text: 'half a pair: \ud83d' },
  { count: 1e21, small: 1e-7, negative: -0, none: NaN, most: Infinity },
])('a flat line is the line of the other log: %j', (fields) => {
  expect(linesOf(createFlatLogger, fields)).toEqual(linesOf(createLogger, fields));
});

test('a flat line with a message of any characters is the line of the other log', () => {
  const message = 'not "plain"\n';
  expect(linesOf(createFlatLogger, {}, { message })).toEqual(linesOf(createLogger, {}, { message }));
});

test('a flat line of text is the line of its fields', () => {
  const [one, other] = [
    { method: 'GET', status: 200 },
    { note: 'a "b"', absent: undefined },
  ];
  const lines: string[] = [];
  const log = createFlatLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
  log.infoText(jsonFields(one) + jsonFields(other), 'request answered');
  expect(lines.map((line) => line.replace(utc, 'TIME'))).toEqual(linesOf(createLogger, { ...one, ...other }));
});

test('a flat line has the format of the log', () => {
  const lines = linesOf(createFlatLogger, { status: 200, route: 'list-alerts' }, { format: formatLogLine });
  expect(lines).toEqual(['TIME INFO  request answered status=200 route=list-alerts\n']);
});

test('each line has the time at which it was written', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
  try {
    const lines: string[] = [];
    const log = createFlatLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } });
    for (const afterMs of [0, 0, 1, 999]) {
      vi.setSystemTime(Date.now() + afterMs);
      log.info({}, 'request answered');
    }
    const times = lines.map((line) => (JSON.parse(line) as { time: string }).time);
    const first = '2026-01-01T00:00:00.000Z';
    expect(times).toEqual([first, first, '2026-01-01T00:00:00.001Z', '2026-01-01T00:00:01.000Z']);
  } finally {
    vi.useRealTimers();
  }
});
