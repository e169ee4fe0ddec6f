// What the connections of one server may cost, whatever their clients read: over real sockets, plain and with TLS.
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTLS } from 'node:tls';

import { afterEach, beforeAll, describe, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { largeShareBytes, shareBytes } from '../../src/lib/http-connections.ts';
import { startHttpServer, type RunningServer, type ServerOptions } from '../../src/lib/http-server.ts';
import { makeSelfSigned } from '../../src/service/tls/self-signed.ts';

let server: RunningServer | undefined;
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server?.stop(0);
});

let pair: { certificate: string; key: string };
beforeAll(async () => {
  pair = await makeSelfSigned(['localhost'], systemClock.now());
});

const page = 'x'.repeat(shareBytes);
const answering: RequestListener = (_, outgoing) => void outgoing.end(page);
const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe.each(['http', 'https'])('of %s', (scheme) => {
  const isTLS = scheme === 'https';

  async function start(options: ServerOptions = {}, listener = answering): Promise<void> {
    server = await startHttpServer({ host: '127.0.0.1', port: 0 }, listener, {
      ...options,
      ...(isTLS && { tls: pair }),
    });
  }

  async function open(): Promise<Socket> {
    const address = { port: server?.port ?? 0, host: '127.0.0.1' };
    const client = isTLS ? connectTLS({ ...address, rejectUnauthorized: false }) : connect(address);
    clients.push(client);
    client.on('error', () => undefined);
    await once(client, isTLS ? 'secureConnect' : 'connect');
    return client;
  }

  /** Sends a request and reads its response. Undefined at the end of the connection. */
  async function ask(client: Socket): Promise<string | undefined> {
    if (client.readableEnded || client.destroyed) return undefined;
    client.write(request);
    let received = '';
    for await (const chunk of client.iterator({ destroyOnReturn: false })) {
      received += String(chunk);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      if (body.length >= page.length) return /^connection: (\S+)/im.exec(head)?.[1]?.toLowerCase();
    }
    return undefined;
  }

  /** Resolves with how the connection ended. */
  async function endOf(client: Socket): Promise<'reset' | 'closed'> {
    return new Promise((resolve) => {
      client.once('error', () => resolve('reset')).once('close', () => resolve('closed'));
      client.resume();
    });
  }

  test('a connection ends with the response after its share', async () => {
    await start();
    const client = await open();
    expect(await ask(client)).toBe('keep-alive');
    expect(await ask(client)).toBe('close');
    expect(await endOf(client)).toBe('closed');
  });

  test('as many as allowed go on, up to the larger share, and leave their places to others', async () => {
    await start({ largeConnections: 1 });
    const [large, small] = [await open(), await open()];
    const answers = [await ask(large), await ask(large)];
    expect([await ask(small), await ask(small)]).toEqual(['keep-alive', 'close']);
    while (answers.at(-1) !== 'close') answers.push(await ask(large));
    // Headers and the records of TLS are one in a hundred.
    expect((answers.length - 1) * page.length).toBeGreaterThan(largeShareBytes * 0.98);
    expect((answers.length - 1) * page.length).toBeLessThan(largeShareBytes + 2 * page.length);
    await endOf(large);
    const next = await open();
    await expect.poll(async () => [await ask(next), await ask(next)]).toEqual(['keep-alive', 'keep-alive']);
  });

  test('a further one takes the place of the one whose last request is the oldest and not in flight', async () => {
    await startBusy(3);
    const [first, second] = [await open(), await open()];
    await ask(second);
    await ask(first);
    const ended = endOf(second);
    const third = await open();
    expect(await ended).toBe('reset');
    expect([await ask(first), await ask(third)]).toEqual(['keep-alive', 'keep-alive']);
  });

  test('a further one takes the place of a client that is slow to send, not of one that has just come', async () => {
    const begun: string[] = [];
    await start({ maxConnections: 2 }, ({ url = '' }, outgoing) => {
      if (url === '/') outgoing.end(page);
      else begun.push(url);
    });
    const slow = await open();
    slow.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx');
    await expect.poll(() => begun).toEqual(['/slow']);
    const ended = endOf(slow);
    const newcomers = [await open(), await open()];
    expect(await ended).toBe('reset');
    for (const each of newcomers) expect(await ask(each)).toBe('keep-alive');
  });

  test('a further one has a place, even if the requests of all others are in flight', async () => {
    const ended = endOf(await startBusy(1));
    expect(await ask(await open())).toBe('keep-alive');
    expect(await ended).toBe('reset');
  });

  /** For so many connections, one of which has a request in flight that gets no response: that one. */
  async function startBusy(connections: number): Promise<Socket> {
    const held = Promise.withResolvers<unknown>();
    const limits = { maxConnections: connections, largeConnections: connections };
    await start(limits, ({ url }, outgoing) => (url === '/' ? outgoing.end(page) : held.resolve(url)));
    const busy = await open();
    busy.write(request.replace('/', '/held'));
    await held.promise;
    return busy;
  }

  test('a client that does not take its response is cut off, however little it takes', async () => {
    const large: RequestListener = (_, outgoing) => void outgoing.end(Buffer.alloc(64 * 1024 * 1024));
    await start({ answerTimeoutMs: 200 }, large);
    const client = await open();
    client.pause().write(request);
    await expect.poll(() => client.readableLength).toBeGreaterThan(0);
    // The kernel holds megabytes for the client. Dropped, they do not arrive.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    let receivedBytes = 0;
    client.on('data', (chunk: Buffer) => (receivedBytes += chunk.length));
    expect(await endOf(client)).toBe('reset');
    expect(receivedBytes).toBeLessThan(64 * 1024 * 1024);
  });

  test.each<[string, (client: Socket) => unknown]>([
    ['its end', (client) => client.end()],
    ['what is not HTTP', (client) => client.write('nonsense\r\n\r\n')],
  ])('a client that sends %s instead of taking its response is cut off', async (_, send) => {
    await start({ answerTimeoutMs: 200 }, (_request, outgoing) => void outgoing.end(Buffer.alloc(1024 * 1024)));
    const client = await open();
    client.pause().write(request);
    await expect.poll(() => client.readableLength).toBeGreaterThan(0);
    send(client);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await endOf(client)).toBe('reset');
  });

  test('after the stop the response in flight is the last of its connection', async () => {
    const held = Promise.withResolvers<ServerResponse>();
    await start({}, (_, outgoing) => held.resolve(outgoing));
    const answered = ask(await open());
    const outgoing = await held.promise;
    void server?.stop(10_000);
    outgoing.end(page);
    expect(await answered).toBe('close');
  });

  /** A client that leaves its side of an ended connection open: the raw socket, and the one that sends and reads. */
  function openHalf(): [Socket, Socket] {
    const client = connect({ port: server?.port ?? 0, host: '127.0.0.1', allowHalfOpen: true });
    clients.push(client);
    const socket = isTLS ? connectTLS({ socket: client, rejectUnauthorized: false }) : client;
    for (const each of [client, socket]) each.on('error', () => undefined);
    return [client, socket.resume()];
  }

  /** A socket that has read the end notices a reset when it writes. */
  const expectReset = (client: Socket) => expect.poll(() => client.destroyed || (client.write('x'), false)).toBe(true);

  test('a client that leaves its side of an ended connection open is cut off', async () => {
    await start({ answerTimeoutMs: 200 });
    const [client, socket] = openHalf();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'end');
    await expectReset(client);
  });

  // In one turn of its event loop the server reads 64 KiB, which are two requests, sends its last response, and reads on.
  test('a request that the server reads right after its last response closes the connection', async () => {
    await start();
    const [client, socket] = openHalf();
    const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 32717\r\n\r\n'.padEnd(32_768, 'x');
    socket.write(half.repeat(3));
    await Promise.race(['data', 'close'].map((event) => new Promise((resolve) => socket.once(event, resolve))));
    await expectReset(client);
  });

  test('requests of a connection are passed on one after the other', async () => {
    const begun: (() => void)[] = [];
    await start({}, (_, outgoing) => void begun.push(() => outgoing.end('x')));
    const client = await open();
    client.write(request.repeat(3));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => begun.length).toBe(count);
      begun.at(-1)?.();
    }
  });

  test.each(['', 'Expect: wonders\r\n'])(
    'more than eight requests that wait close their connection: %j',
    async (field) => {
      await start({}, () => undefined);
      const client = await open();
      const ended = endOf(client);
      client.write(`GET / HTTP/1.1\r\nHost: x\r\n${field}\r\n`.repeat(9));
      expect(await ended).toBe('reset');
    },
  );
});
