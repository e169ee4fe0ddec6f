// The transport of a connection with its own CA bundle. Every request uses sockets that trust the bundle as last read. When the
// bundle changes, the transport opens new sockets, and closes the old ones once their last request has ended.
import { isAlertsError } from '../alerts/alerts-error.ts';
import type { Cached } from '../lib/cached.ts';
import { cancelled } from './cancelled.ts';
import type { HttpRequest, HttpResponse } from './http-call.ts';
import type { Transport } from './transport.ts';

export interface RotatingTransportOptions {
  readonly caBundle: Pick<Cached<string>, 'current' | 'expire' | 'loads'>;
  /** Throws `tls-failed` when the bundle holds no certificates. */
  readonly open: (caBundle: string) => Transport;
}

interface Opened {
  readonly caBundle: string;
  readonly transport: Transport;
  exchanges: number;
}

export class RotatingTransport implements Transport {
  readonly #options: RotatingTransportOptions;
  #current: Opened | undefined;
  /** Includes retired transports that still have requests in flight. */
  readonly #open = new Set<Opened>();
  #isStopped = false;

  constructor(options: RotatingTransportOptions) {
    this.#options = options;
  }

  /** Throws what `Transport.send` and reading the bundle throw. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const { caBundle } = this.#options;
    const loadsBefore = caBundle.loads;
    const used = await this.#read(request.signal);
    try {
      return await this.#exchangeOver(used, request);
    } catch (error) {
      if (!isAlertsError(error, 'tls-failed')) throw error;
      if (caBundle.loads === loadsBefore) caBundle.expire();
      const renewed = await this.#read(request.signal);
      if (renewed === used) throw error;
      return this.#exchangeOver(renewed, request);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#current = undefined;
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map(({ transport }) => transport.stop()));
  }

  async #read(signal: AbortSignal): Promise<string> {
    try {
      return await this.#options.caBundle.current(signal);
    } catch (error) {
      if (!signal.aborted) this.#retire();
      throw error;
    }
  }

  async #exchangeOver(caBundle: string, request: HttpRequest): Promise<HttpResponse> {
    if (this.#isStopped) throw cancelled();
    const opened = this.#openFor(caBundle);
    opened.exchanges += 1;
    try {
      return await opened.transport.send(request);
    } finally {
      opened.exchanges -= 1;
      this.#closeIfRetired(opened);
    }
  }

  #openFor(caBundle: string): Opened {
    if (this.#current?.caBundle === caBundle) return this.#current;
    this.#retire();
    this.#current = { caBundle, transport: this.#options.open(caBundle), exchanges: 0 };
    this.#open.add(this.#current);
    return this.#current;
  }

  #retire(): void {
    const retired = this.#current;
    this.#current = undefined;
    if (retired) this.#closeIfRetired(retired);
  }

  #closeIfRetired(opened: Opened): void {
    if (opened === this.#current || opened.exchanges > 0 || !this.#open.delete(opened)) return;
    void opened.transport.stop();
  }
}
