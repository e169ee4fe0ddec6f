// The alerts service within the memory of its own deployment: requests that never end and a flood of sign-ins over TLS, and connections with
// thousands of requests. Another client is served meanwhile.
import { once } from 'node:events';
import { type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import {
  expectServed,
  expectUnharmed,
  openUnread,
  signIn,
  startBounded,
  tokenOf,
} from '../support/rigs/bounded-service.ts';

const endlessRequests = 900;
const floodConnections = 64;
const busyConnections = 300;

/** A connection of which nothing is read after its handshake. */
async function connectTo(url: string): Promise<TLSSocket | undefined> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => undefined);
  return socket.destroyed ? undefined : socket;
}

/** Some handshakes at a time. */
async function connectMany(url: string, count: number, then: (socket: TLSSocket, index: number) => void) {
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const index = next++;
      const socket = await connectTo(url);
      if (socket) then(socket, index);
    }
  };
  await Promise.all(Array.from({ length: 32 }, worker));
}

/** Posts the form with a wrong password, again and again, until it is stopped: each time from another address, so that none is closed. */
function floodSignIns(url: string) {
  const over = new AbortController();
  let [sent, answers] = [0, 0];
  const worker = async (name: string) => {
    const agent = new Agent({ connect: { rejectUnauthorized: false } });
    const body = new URLSearchParams({ username: name, password: 'wrong', decision: 'allow' });
    while (!over.signal.aborted) {
      const address = `2001:db8:${(sent += 1).toString(16)}::1`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
      const options = { method: 'POST', headers, body: body.toString(), dispatcher: agent } as const;
      const answer = await request(url + signIn, options).catch(() => undefined);
      await answer?.body.dump().catch(() => undefined);
      answers += 1;
    }
    await agent.destroy();
  };
  const workers = Array.from({ length: floodConnections }, (_, index) => worker(`name-${index}`));
  return {
    answers: () => answers,
    async stop() {
      over.abort();
      await Promise.all(workers);
    },
  };
}

/** Of 16 KiB, in chunks of one byte, and without its end. */
const tinyChunks = `POST /common/oauth2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\ny\r\n'.repeat(16_000)}`;
const headersWithout = (end: string) =>
  `POST /common/oauth2/token HTTP/1.1\r\nHost: x\r\n${end}${Array.from({ length: 90 }, (_, index) => `X-${index}: ${'x'.repeat(150)}\r\n`).join('')}`;
const endless = [
  tinyChunks,
  headersWithout(''),
  `${headersWithout('Content-Length: 16384\r\n')}\r\n${'y'.repeat(16_000)}`,
];

test('requests that never end and a flood of sign-ins over TLS end nothing, and another client is served', async () => {
  const service = await startBounded('--tls-self-signed');
  const { url } = service;
  const token = await tokenOf(service);
  await connectMany(url, endlessRequests, (socket, index) => {
    socket.write(endless[index % endless.length] ?? '');
  });
  await expectServed(service, token, `${endlessRequests} requests that never end`);
  await service.peakBytes();

  const signIns = floodSignIns(url);
  await expect.poll(signIns.answers).toBeGreaterThan(100);
  await expectServed(service, token, 'a flood of sign-ins besides');
  await signIns.stop();

  await expectUnharmed(service);
});

// Node parses what it has read, up to 64 KiB, to its end, whatever the listener does at the first requests.
test.each(['http', 'https'])('thousands of requests in one read of each %s connection end nothing', async (scheme) => {
  const service = await startBounded(...(scheme === 'https' ? ['--tls-self-signed'] : []));
  const { url } = service;
  const token = await tokenOf(service);
  const sockets: Socket[] = [];
  if (scheme === 'https') await connectMany(url, busyConnections, (socket) => sockets.push(socket));
  else while (sockets.length < busyConnections) sockets.push(openUnread(Number(new URL(url).port), ''));
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(3600));
  await expectServed(service, token, `${busyConnections} connections with thousands of requests each`);
  for (const socket of sockets) socket.destroy();
  await expectUnharmed(service);
});
