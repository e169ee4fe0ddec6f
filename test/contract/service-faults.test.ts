// Every fault as a client receives it, byte by byte over a socket, and the rules of a script.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { startHttpServer } from '../../src/lib/http-server.ts';
import { CorruptDelivery } from '../../src/service/faults/corrupt-delivery.ts';
import { jsonResponse } from '../../src/service/http/message.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { until } from '../support/rigs/until.ts';
import { alertA, json, listOne, turnOff, startService } from '../support/servers/alerts-service-cases.ts';
import { errorOf, listOf, staticToken, type Sent } from '../support/servers/alerts-service.ts';

/** With one rule, whose fault is `fault`, unless the options say otherwise. Without an audit trail, so that all timers are those of faults. */
async function started(fault: object, options: Partial<AlertsServiceOptions> = {}) {
  const service = await startService({ faults: { rules: [{ fault }] }, auditRetentionMs: 0, ...options });
  const send = (sent: Sent) => service.send({ ...sent, expectsFault: true });
  const isActive = async () =>
    ((await service.alerts.readAlert('subscriptions/one', 'A')) as { properties: { isActive: boolean } }).properties
      .isActive;
  return { ...service, send, isActive };
}

interface Wire {
  readonly socket: Socket;
  readonly received: () => Buffer;
  readonly isOver: () => boolean;
  /** What came after the headers. */
  readonly bodyBytes: () => number;
}

/** Sends a request and keeps every byte that comes back until the other side closes. */
async function onTheWire(url: string, { method = 'GET', target, headers = {}, body = '' }: Sent): Promise<Wire> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const lines = Object.entries({ ...headers, host: 'service.test', authorization: `Bearer ${staticToken}` });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`${method} ${target} HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body.toString()}`);
  const chunks: Buffer[] = [];
  let isOver = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.on('close', () => (isOver = true));
  const received = () => Buffer.concat(chunks);
  const bodyBytes = () => {
    const end = received().indexOf('\r\n\r\n');
    return end < 0 ? -1 : received().length - end - 4;
  };
  return { socket, received, bodyBytes, isOver: () => isOver };
}

const startScript = (rules: readonly object[], options?: Partial<AlertsServiceOptions>) =>
  started({}, { ...options, faults: { rules } });

const list: Sent = { target: listOne };

describe('an answer that is late', () => {
  test('comes after its time, and what was asked for is done at once', async () => {
    const clock = new ManualClock();
    const service = await started({ latency: { ms: 250 } }, { clock });
    const wire = await onTheWire(service.url, turnOff);
    await until(() => clock.pendingTimers === 1, 'the answer waits');
    expect([clock.nextTimerMs, await service.isActive(), wire.received().length]).toEqual([250, false, 0]);
    await clock.advance(250);
    await until(() => wire.bodyBytes() === 0, 'the answer is there');
    expect(wire.received().toString()).toMatch(/^HTTP\/1\.1 204 /);
  });

  test('is cancelled when the client disconnects, and affects no other client', async () => {
    const clock = new ManualClock();
    const rules = [{ limits: { times: 1 }, fault: { latency: { ms: 250 } } }];
    const service = await started({}, { clock, faults: { rules } });
    const wire = await onTheWire(service.url, list);
    await until(() => clock.pendingTimers === 1, 'the answer waits');
    wire.socket.destroy();
    await until(wire.isOver, 'the connection is closed');
    await clock.advance(250);
    expect((await service.send(list)).status).toBe(200);
  });
});

describe('a status', () => {
  test.each([
    { fault: { status: 500 }, expected: '500 InternalError' },
    { fault: { status: 503, code: 'Maintenance' }, expected: '503 Maintenance' },
    { fault: { status: 418 }, expected: '418 InjectedFault' },
  ])('$expected is answered instead, and nothing is done', async ({ fault, expected }) => {
    const service = await started(fault);
    expect(errorOf(await service.send(turnOff))).toBe(expected);
    expect(await service.isActive()).toBe(true);
  });

  test.each([
    { name: 'seconds', retryAfter: 120, expected: '120' },
    { name: 'any text', retryAfter: 'when it is over', expected: 'when it is over' },
    { name: 'a date', retryAfter: { inSeconds: 90 }, expected: 'Thu, 01 Jan 2026 00:01:30 GMT' },
  ])('429 with $name as Retry-After', async ({ retryAfter, expected }) => {
    const service = await started({ status: 429, retryAfter }, { clock: new ManualClock() });
    const answer = await service.send(list);
    expect([errorOf(answer), answer.headers['retry-after']]).toEqual(['429 TooManyRequests', expected]);
  });

  test('of the token endpoint has an error of OAuth', async () => {
    const service = await started({ status: 503 });
    const answer = await service.send({ method: 'POST', target: '/common/oauth2/token', headers: json });
    expect(JSON.parse(answer.text)).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(/\.$/),
    });
  });
});

describe('a connection', () => {
  test.each([{ afterBytes: 0 }, { afterBytes: 25 }])('is cut after $afterBytes bytes of the body', async (cut) => {
    const wire = await onTheWire((await started({ cut })).url, list);
    await until(wire.isOver, 'the connection is closed');
    expect(wire.bodyBytes()).toBe(cut.afterBytes);
    expect(wire.received().toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*content-length: [1-9][0-9]{2,}\r\n/);
  });
});

describe('a body', () => {
  test('that is slow comes in pieces, each after its time', async () => {
    const clock = new ManualClock();
    const service = await started({ slow: { pieceBytes: 100, everyMs: 40 } }, { clock });
    const wire = await onTheWire(service.url, list);
    for (let pieces = 1; pieces <= 5; pieces += 1) {
      await until(() => wire.bodyBytes() >= pieces * 100 && clock.pendingTimers === 1, `piece ${pieces} is there`);
      expect([wire.bodyBytes(), clock.nextTimerMs]).toEqual([pieces * 100, 40]);
      await clock.advance(40);
    }
  });

  test('that is huge is the same list, and has as many bytes as it says', async () => {
    const padding = 3_000_000;
    const service = await started({ huge: { bytes: padding } });
    const answer = await service.send(list);
    expect(listOf(answer).value).toHaveLength(5);
    expect(answer.text.length).toBe(Number(answer.headers['content-length']));
    expect(answer.text.length - answer.text.replaceAll(/ {2,}/g, '').length).toBe(padding);
  });

  test('that is huge is never held: no more than a piece waits for a client that does not read', async () => {
    const paddingBytes = 64 * 1024 * 1024;
    const outgoings: ServerResponse[] = [];
    const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, (_, outgoing) => {
      outgoings.push(outgoing);
      const response = jsonResponse(200, '{}', { 'content-length': String(paddingBytes + 2) });
      new CorruptDelivery({ paddingBytes }, systemClock).deliver(outgoing, response, true);
    });
    onTestFinished(() => server.stop(0));
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const held: number[] = [];
    const look = () => {
      const [outgoing] = outgoings;
      if (outgoing) held.push(outgoing.writableLength, outgoing.socket?.writableLength ?? 0);
    };
    socket.pause();
    await until(() => (look(), held.length > 20), 'the server is writing');
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      look();
    });
    socket.resume();
    await once(socket, 'close');
    expect(bytes).toBeGreaterThan(paddingBytes);
    expect(Math.max(...held)).toBeLessThan(150_000);
    expect(Math.max(...held)).toBeGreaterThan(0);
  });

  test.each([
    { how: 'truncated', body: /^\{"value":\[/ },
    { how: 'empty', body: /^$/ },
    { how: 'not-json', body: /^<!doctype html>/ },
    { how: 'wrong-type', body: /^\{"value":"wrong"\}$/ },
    { how: 'wrong-content-type', body: /^\{"value":\[\{.*\}\]\}$/, type: 'text/html; charset=utf-8' },
    { how: 'bad-utf8', body: /\ufffd/ },
    { how: 'too-deep', body: /^\{"value":\[{5000}\]{5000}\}$/ },
  ])('that is $how is of that kind, and of the length it says', async ({ how, body, type }) => {
    const service = await started({ malformed: how });
    const answer = await service.send(list);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type ?? 'application/json; charset=utf-8']);
    expect(answer.text).toMatch(body);
    const wire = await onTheWire(service.url, list);
    await until(() => wire.bodyBytes() === Number(answer.headers['content-length']), 'every byte is there');
    expect(wire.received().includes(0xff)).toBe(how === 'bad-utf8');
  });

  test.each([{ malformed: 'not-json' }, { huge: { bytes: 10 } }])(
    'is what even an update gets for %j, which is done',
    async (fault) => {
      const service = await started(fault);
      const answer = await service.send(turnOff);
      expect([answer.status, answer.text.length > 0, await service.isActive()]).toEqual([200, true, false]);
    },
  );

  test('is never what HEAD gets', async () => {
    const answer = await (await started({ huge: { bytes: 10 } })).send({ ...list, method: 'HEAD' });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

describe('an update', () => {
  test('is acknowledged and not done', async () => {
    const service = await started({ ignoreUpdate: true });
    expect((await service.send(turnOff)).status).toBe(204);
    expect(await service.isActive()).toBe(true);
    const unknown = await service.send({ ...turnOff, target: alertA.replace('/A?', '/Unknown?') });
    expect(errorOf(unknown)).toBe('404 AlertNotFound');
    expect((await service.send({ ...turnOff, body: '{}' })).status).toBe(400);
  });

  test('is undone by a scan after a time', async () => {
    const clock = new ManualClock();
    const service = await started({ reRaise: { afterMs: 5000 } }, { clock });
    expect((await service.send(turnOff)).status).toBe(204);
    expect(await service.isActive()).toBe(false);
    await clock.advance(4999);
    expect(await service.isActive()).toBe(false);
    await clock.advance(1);
    expect(await service.alerts.readAlert('subscriptions/one', 'A')).toMatchObject({
      properties: { isActive: true, lastScannedDateTime: '2026-01-01T00:00:05.000Z' },
      systemData: {
        lastModifiedBy: 'scanner',
        lastModifiedByType: 'Application',
        lastModifiedAt: '2026-01-01T00:00:05.000Z',
      },
    });
  });

  test('that activates, or changes nothing, is not followed by a scan', async () => {
    const clock = new ManualClock();
    const service = await started({ reRaise: { afterMs: 5000 } }, { clock });
    await service.send({ ...turnOff, body: '{"properties":{"isActive":true}}' });
    await service.send({ ...turnOff, target: alertA.replace('/A?', '/B?') });
    expect(clock.pendingTimers).toBe(0);
  });

  test('whose service was stopped is not undone', async () => {
    const clock = new ManualClock();
    const service = await started({ reRaise: { afterMs: 5000 } }, { clock });
    await service.send(turnOff);
    await service.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('a rule', () => {
  test('for one caller leaves the others alone', async () => {
    const rules = [{ match: { principal: 'operator' }, fault: { status: 500 } }];
    const service = await startScript(rules);
    expect((await service.send(list)).status).toBe(200);
    const form = 'grant_type=client_credentials&client_id=operator&client_secret=s3cret%2Fwith%3Aodd+%2Bchars%25';
    const headers = { authorization: '', 'content-type': 'application/x-www-form-urlencoded' };
    const token = await service.send({ method: 'POST', target: '/common/oauth2/token', headers, body: form });
    const { access_token } = JSON.parse(token.text) as { access_token: string };
    const answer = await service.send({ ...list, headers: { authorization: `Bearer ${access_token}` } });
    expect(errorOf(answer)).toBe('500 InternalError');
    expect((await service.send({ ...list, headers: { authorization: 'Bearer guess' } })).status).toBe(401);
  });
});

describe('a script in a file', () => {
  const withFile = async (text: string) => {
    const folder = await newFolder();
    const faultsFile = join(folder, 'faults.yaml');
    await writeFile(faultsFile, text);
    return started({}, { faultsFile });
  };

  test('is on from the start', async () => {
    const service = await withFile('rules:\n  - limits: {times: 1}\n    fault: {status: 418}\n');
    expect((await service.send(list)).status).toBe(418);
    expect((await service.send(list)).status).toBe(200);
  });

  test('that is wrong keeps the service from starting', async () => {
    await expect(withFile('rules:\n  - fault: {status: 1}\n')).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/is invalid: rules\[0\]\.fault\.status must be/) as string,
    });
    await expect(started({}, { faultsFile: '/nowhere/faults.yaml' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^Cannot read the fault script file \/nowhere\/faults\.yaml: /) as string,
    });
  });
});
