// What a dispatcher reports to a handler, and when: undici over a socket and the simulated network, side by side. The operator's code
// above the sockets relies on nothing else.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Dispatcher, Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { seededRandom } from '../../src/lib/random.ts';
import { SimNetwork } from '../simulation/engine/network.ts';
import { SimProcess } from '../simulation/engine/sim-process.ts';
import type { SimHost } from '../simulation/engine/types.ts';
import { VirtualTime } from '../simulation/engine/virtual-time.ts';
import { until } from '../support/rigs/until.ts';

/** How the host answers: at once, never, only the beginning of the body, or by breaking the connection before or in the body. */
type Manner = 'whole' | 'silent' | 'half' | 'reset' | 'reset in the body';

/** A dispatcher with one connection to one host. */
interface Stand {
  readonly dispatcher: Dispatcher;
  manner: Manner;
  /** Requests that reached the host. */
  readonly arrived: number;
  until(isSo: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

const body = 'x'.repeat(1000);

async function startReal(): Promise<Stand> {
  const answers: Record<Manner, (response: ServerResponse) => void> = {
    whole: (response) => response.end(body),
    silent: () => undefined,
    half: (response) => response.writeHead(200, { 'content-length': '1000' }).write('x'),
    reset: (response) => response.socket?.resetAndDestroy(),
    'reset in the body': (response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('x', () => response.socket?.resetAndDestroy());
    },
  };
  let arrived = 0;
  const server = createServer((_request, response) => {
    arrived++;
    answers[stand.manner](response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dispatcher = new Pool(origin, { connections: 1, pipelining: 1 });
  const stand: Stand = {
    dispatcher,
    manner: 'whole',
    get arrived() {
      return arrived;
    },
    until: (isSo) => until(isSo, 'what the case waits for'),
    async stop() {
      await dispatcher.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
  return stand;
}

async function startSimulated(): Promise<Stand> {
  const origin = 'http://host.sim';
  const time = new VirtualTime();
  const network = new SimNetwork({
    time,
    random: seededRandom(1),
    fateOf: () => {
      if (stand.manner === 'reset') return { kind: 'lose-answer' };
      return stand.manner === 'reset in the body' ? { kind: 'cut-body', afterBytes: 1 } : { kind: 'deliver' };
    },
  });
  let arrived = 0;
  const host: SimHost = {
    handle(_request, open) {
      arrived++;
      if (stand.manner === 'half') open(200).write('x');
      const isMute = stand.manner === 'half' || stand.manner === 'silent';
      return isMute ? undefined : { status: 200, body };
    },
  };
  network.addHost(origin, host);
  const dispatcher = network.openDispatcher(new SimProcess('client', time), origin, { connections: 1 });
  const stand: Stand = {
    dispatcher,
    manner: 'whole',
    get arrived() {
      return arrived;
    },
    async until(isSo) {
      for (let step = 0; step < 1000 && !isSo(); step++) await time.runUntil(time.nowMs + 1);
      expect(isSo()).toBe(true);
    },
    async stop() {
      await dispatcher.destroy();
    },
  };
  return stand;
}

/** Records the calls of a handler, in order; data in several pieces counts once. */
class RecordingHandler implements Dispatcher.DispatchHandler {
  readonly #said: string[];
  readonly #name: string;
  readonly #onStart: (controller: Dispatcher.DispatchController) => void;
  controller: Dispatcher.DispatchController | undefined;

  constructor(
    said: string[],
    name: string,
    onStart: (controller: Dispatcher.DispatchController) => void = () => undefined,
  ) {
    this.#said = said;
    this.#name = name;
    this.#onStart = onStart;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.#say('start');
    this.#onStart(controller);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#say(`head ${status}`);
  }

  onResponseData(): void {
    if (this.#said.at(-1) !== `${this.#name} data`) this.#say('data');
  }

  onResponseEnd(): void {
    this.#say('end');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { code } = error as Error & { code?: string };
    // A reset has one of two names, depending on how far the response had come.
    this.#say(`error ${code === 'ECONNRESET' ? 'UND_ERR_SOCKET' : (code ?? error.message)}`);
  }

  #say(what: string): void {
    this.#said.push(`${this.#name} ${what}`);
  }
}

/** `a start, a end` */
const lines = (text: string) => text.split(', ');

describe.each([
  ['undici over a socket', startReal],
  ['the simulated network', startSimulated],
])('%s', (_, start) => {
  let stand: Stand;
  let said: string[];

  beforeEach(async () => {
    stand = await start();
    said = [];
  });

  afterEach(() => stand.stop());

  const send = (name: string, onStart?: (controller: Dispatcher.DispatchController) => void): RecordingHandler => {
    const handler = new RecordingHandler(said, name, onStart);
    stand.dispatcher.dispatch({ path: '/', method: 'GET' }, handler);
    said.push(`${name} sent`);
    return handler;
  };
  const saidIn = (what: string) => () => said.includes(what);

  it('starts no request in the tick of its send, not even when it is connected already', async () => {
    send('a');
    await stand.until(saidIn('a end'));
    send('b');
    await stand.until(saidIn('b end'));
    expect(said).toEqual(
      lines('a sent, a start, a head 200, a data, a end, b sent, b start, b head 200, b data, b end'),
    );
  });

  it('lets a request wait for the connection', async () => {
    send('a');
    send('b');
    await stand.until(saidIn('b end'));
    expect(said).toEqual(
      lines('a sent, b sent, a start, a head 200, a data, a end, b start, b head 200, b data, b end'),
    );
  });

  it('sends nothing when the handler aborts as it starts', async () => {
    send('a', (controller) => {
      controller.abort(new Error('changed my mind'));
      said.push('aborted');
    });
    await stand.until(saidIn('a error changed my mind'));
    send('b');
    await stand.until(saidIn('b end'));
    const wanted = ['a sent', 'a start', 'a error changed my mind', 'aborted'];
    expect([said.slice(0, 4), stand.arrived]).toEqual([wanted, 1]);
  });

  it('ends a request that is aborted while it waits for its response, and needs another connection', async () => {
    stand.manner = 'silent';
    const a = send('a');
    await stand.until(() => stand.arrived === 1);
    stand.manner = 'whole';
    a.controller?.abort(new Error('too late'));
    said.push('aborted');
    await stand.until(saidIn('a error too late'));
    send('b');
    await stand.until(saidIn('b end'));
    expect(said).toEqual(
      lines('a sent, a start, a error too late, aborted, b sent, b start, b head 200, b data, b end'),
    );
  });

  it('ends a request that is aborted in its body', async () => {
    stand.manner = 'half';
    const a = send('a');
    await stand.until(saidIn('a data'));
    a.controller?.abort(new Error('enough'));
    said.push('aborted');
    await stand.until(saidIn('a error enough'));
    expect(said).toEqual(['a sent', 'a start', 'a head 200', 'a data', 'a error enough', 'aborted']);
  });

  it.each([
    ['before the response', 'reset', ['a sent', 'a start', 'a error UND_ERR_SOCKET']],
    ['in the body', 'reset in the body', ['a sent', 'a start', 'a head 200', 'a data', 'a error UND_ERR_SOCKET']],
  ] as const)('reports a connection that breaks %s', async (_where, manner, wanted) => {
    stand.manner = manner;
    send('a');
    await stand.until(saidIn('a error UND_ERR_SOCKET'));
    expect(said).toEqual(wanted);
  });

  it('ends what is in progress and what waits when it is destroyed, and takes nothing more', async () => {
    stand.manner = 'silent';
    send('a');
    await stand.until(() => stand.arrived === 1);
    send('b');
    const ended = stand.dispatcher.destroy();
    said.push('destroyed');
    await stand.until(() => saidIn('a error UND_ERR_DESTROYED')() && saidIn('b error UND_ERR_DESTROYED')());
    await ended;
    send('c');
    await stand.until(saidIn('c error UND_ERR_DESTROYED'));
    expect([said, stand.arrived]).toEqual([
      lines(
        'a sent, a start, b sent, b error UND_ERR_DESTROYED, destroyed, a error UND_ERR_DESTROYED, c error UND_ERR_DESTROYED, c sent',
      ),
      1,
    ]);
  });

  it('holds the body back while the handler pauses', async () => {
    const a = send('a', (controller) => controller.pause());
    await stand.until(saidIn('a head 200'));
    send('b');
    const before = [...said];
    a.controller?.resume();
    await stand.until(saidIn('b end'));
    expect([before, said.slice(4)]).toEqual([
      ['a sent', 'a start', 'a head 200', 'b sent'],
      ['a data', 'a end', 'b start', 'b head 200', 'b data', 'b end'],
    ]);
  });
});
