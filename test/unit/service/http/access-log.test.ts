import { expect, test } from 'vitest';

import { logAndCount, type LineMemory } from '../../../../src/service/http/access-log.ts';
import type { HandledRequest } from '../../../../src/service/http/message.ts';
import { silentObserver } from '../../../../src/service/observer.ts';
import { keepAccessLog } from '../../../support/rigs/kept-log.ts';

const asked = { method: 'GET', clientAddress: '192.0.2.1', requestID: 'one', elapsedMs: 0.26 };
const handled: HandledRequest = { response: { status: 200, headers: {} }, route: 'list-alerts', principal: 'client' };

function lineOf(memory: LineMemory, request: typeof asked, answered: HandledRequest): unknown {
  const { lines, accessLog } = keepAccessLog();
  logAndCount({ accessLog, observer: silentObserver }, memory, request, answered);
  const { time: _, ...facts } = JSON.parse(lines.join('')) as Record<string, unknown>;
  return facts;
}

test('a line names the request and its response', () => {
  expect(lineOf({ line: undefined }, asked, handled)).toEqual({
    level: 'info',
    method: 'GET',
    route: 'list-alerts',
    status: 200,
    durationMs: 0.3,
    principal: 'client',
    clientAddress: '192.0.2.1',
    requestID: 'one',
    msg: 'request answered',
  });
});

test.each<[string, Partial<typeof asked>, Partial<HandledRequest>]>([
  ['nothing', {}, {}],
  ['its id', { requestID: 'two' }, {}],
  ['its duration', { elapsedMs: 1234.56 }, {}],
  ['its method', { method: 'HEAD' }, {}],
  ['its client', { clientAddress: '2001:db8::1' }, {}],
  ['its route', {}, { route: 'update-alert' }],
  ['its caller', {}, { principal: 'user' }],
  ['its fault', {}, { fault: 'latency' }],
  ['its status', {}, { response: { status: 304, headers: {} } }],
  ['its error code', {}, { response: { status: 200, headers: {}, errorCode: 'ServerBusy' } }],
])('the line after one that differs from it in %s is its own', (_, request, answered) => {
  const memory = { line: undefined };
  lineOf(memory, asked, handled);
  const second = [
    { ...asked, ...request },
    { ...handled, ...answered },
  ] as const;
  expect(lineOf(memory, ...second)).toEqual(lineOf({ line: undefined }, ...second));
});
