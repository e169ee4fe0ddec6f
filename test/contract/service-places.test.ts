// The places that unfinished requests take: who leaves one, and who is refused when there is none.
import { connect, type Socket } from 'node:net';

import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { startHttpServer, type RunningServer } from '../../src/lib/http-server.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { createHttpAdapter } from '../../src/service/http/adapter.ts';
import { serviceLimits, type ServiceLimits } from '../../src/service/http/limits.ts';
import type { HandledRequest } from '../../src/service/http/message.ts';
import { silentObserver } from '../../src/service/observer.ts';
import { until } from '../support/rigs/until.ts';

const ok: HandledRequest = {
  response: { status: 200, headers: { 'content-length': '2' }, body: 'ok' },
  route: 'unknown',
  principal: 'none',
};

let server: RunningServer | undefined;
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server?.stop(0);
});

/** A service whose checks of headers and whose responses wait until the test settles them. */
async function start(limits: Partial<ServiceLimits>) {
  const [checks, answers]: [(() => void)[], (() => void)[]] = [[], []];
  const counts = { began: 0, ended: 0 };
  const listener = createHttpAdapter({
    answer: () => new Promise((resolve) => void answers.push(() => resolve(ok))),
    checkHead: () => new Promise((resolve) => void checks.push(() => resolve(undefined))),
    scheme: 'http',
    clock: systemClock,
    log: silentLogger,
    accessLog: undefined,
    limits: { ...serviceLimits, ...limits },
    observer: {
      ...silentObserver,
      requestBegan: () => void (counts.began += 1),
      requestEnded: () => void (counts.ended += 1),
    },
  });
  server = await startHttpServer({ host: '127.0.0.1', port: 0 }, listener, { listenerContinues: true });
  const { port } = server;
  const send = (text: string, localAddress = '127.0.0.1') => {
    const client = connect({ host: '127.0.0.1', port, localAddress });
    clients.push(client);
    const received = { text: '' };
    client.on('data', (chunk) => (received.text += String(chunk))).on('error', () => {});
    client.write(text);
    return { client, received };
  };
  /** A client that leaves while the headers of its request are checked. */
  const leave = async (text: string, localAddress?: string) => {
    const ended = counts.ended;
    const { client } = send(text, localAddress);
    await until(() => checks.length > 0, 'the headers are checked');
    client.destroy();
    await until(() => counts.ended > ended, 'the request ends');
    checks.pop()?.();
  };
  return { send, leave, answers, counts };
}

const waiting = 'PATCH / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n';

test('a client that leaves while its headers are checked takes no place of the requests in flight', async () => {
  const { send, leave, answers } = await start({ concurrentRequests: 1 });
  await leave(`${waiting}\r\n`);
  const { received } = send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => answers.length > 0 || received.text !== '', 'the list is answered');
  answers.pop()?.();
  await until(() => received.text.includes('ok'), 'the list has its response');
  expect(received.text).toMatch(/^HTTP\/1\.1 200 /);
});
