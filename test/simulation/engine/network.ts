// The network between simulated processes and hosts: every request has a fate, every delivery takes a little while that
// differs by seed, and a process receives what undici would report. Only the sockets are simulated; everything above runs
// as in production.
import type { Dispatcher } from 'undici';

import type { Random } from '../../../src/lib/random.ts';
import { SimDispatcher, type Underway } from './sim-dispatcher.ts';
import type { SimProcess } from './sim-process.ts';
import type { Fate, SimExchange, SimHost, SimRequest } from './types.ts';
import type { VirtualTime } from './virtual-time.ts';
import { Wire } from './wire.ts';

export interface NetworkOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Called once per request, when it is sent. */
  readonly fateOf: (request: Omit<SimRequest, 'atMs'>) => Fate;
  /** Called when a process hands a request to its sockets, immediately before it is written. */
  readonly onDispatch?: (process: SimProcess, method: string) => void;
  /** Called when a call has ended for the process, or never will. */
  readonly onExchange?: (exchange: SimExchange) => void;
}

export class SimNetwork {
  readonly #options: NetworkOptions;
  readonly #hosts = new Map<string, SimHost>();
  readonly #wires = new Set<Wire>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  addHost(origin: string, host: SimHost): void {
    this.#hosts.set(origin, host);
  }

  /**
   * Sockets of a process, so many to one host at most. With an origin every request goes there, as with undici's Pool; without,
   * as with its Agent.
   */
  openDispatcher(
    process: SimProcess,
    origin?: string,
    { connections = Infinity, trust }: { readonly connections?: number; readonly trust?: string | undefined } = {},
  ): Dispatcher {
    return new SimDispatcher(
      ({ options, handler }, onOver) => this.#send(process, { request: options, handler, origin, trust, onOver }),
      connections,
    );
  }

  /** Calls of a process that have not ended for it. */
  openExchanges(process: SimProcess): number {
    return [...this.#wires].filter((wire) => wire.process === process).length;
  }

  /** What is open to that origin breaks; with a process, only what it has open. */
  breakAll(origin: string, process?: SimProcess): void {
    for (const wire of this.#to(origin, process)) wire.reset();
  }

  /** What is open to that origin falls silent without an end, as behind a firewall that forgot the connection. */
  silenceAll(origin: string, process?: SimProcess): void {
    for (const wire of this.#to(origin, process)) wire.silence();
  }

  #to(origin: string, process: SimProcess | undefined): Wire[] {
    return [...this.#wires].filter(
      (wire) => wire.origin === origin && (process === undefined || wire.process === process),
    );
  }

  #send(
    process: SimProcess,
    sent: {
      readonly request: Dispatcher.DispatchOptions;
      readonly handler: Dispatcher.DispatchHandler;
      readonly origin: string | undefined;
      readonly trust: string | undefined;
      readonly onOver: () => void;
    },
  ): Underway {
    const { request, handler, trust, onOver } = sent;
    const { time, random, fateOf, onDispatch, onExchange } = this.#options;
    const origin = new URL(String(request.origin ?? sent.origin)).origin;
    const wire = new Wire({
      time,
      process,
      handler,
      host: this.#hosts.get(origin),
      origin,
      trust,
      request,
      fateOf,
      latency: () => 1 + random.next() * 14,
      onEnd: (exchange) => {
        this.#wires.delete(wire);
        onExchange?.(exchange);
      },
      onOver,
    });
    this.#wires.add(wire);
    wire.start();
    onDispatch?.(process, request.method);
    return wire;
  }
}
