// The server of `rolealerts ui`: the page on loopback for the browser that opened it, read-only.
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import { type RunningServer, startHttpServer } from '../../lib/http-server.ts';
import type { SecretSource } from '../../lib/secret-source.ts';
import { type CheckedRequest, cookieName, cookieOf, type RefusedRequest, refusalOf } from './check-request.ts';
import { EventStreams } from './event-streams.ts';
import { Session } from './session.ts';

export interface UiOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  /** The page at this path, with its headers; undefined when there is none. A rejection answers 502 with `failureOf`. */
  readonly pageAt: (url: URL) => Promise<UiPage | undefined>;
  /** Why a page failed, as a sentence. */
  readonly failureOf: (error: unknown) => string;
}

export interface UiPage {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface RunningUi {
  /** With the one-time token. */
  readonly address: string;
  /** Sends the change to the open pages. */
  announce(): void;
  /** Ends within a second, whatever is open. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const graceMs = 500;
const mostConnections = 64;

/** Throws `LocalError` when the port is in use. */
export async function startUi({ port, clock, newSecret, pageAt, failureOf }: UiOptions): Promise<RunningUi> {
  const session = new Session(newSecret);
  const streams = new EventStreams(clock);
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void answer(request, response).catch((error: unknown) =>
      send(response, { status: 502, message: failureOf(error) }),
    );
  };
  const server: RunningServer = await startHttpServer({ host, port }, listener, { maxConnections: mostConnections });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = refusalOf(request, server.port);
    if (refusal) return send(response, refusal);
    const url = URL.parse(request.url ?? '/', server.url);
    if (!url) return send(response, notFound);
    const token = url.searchParams.get('token');
    if (token !== null && request.method === 'GET') return exchange(token, request, response);
    if (!isOpenFor(request)) return send(response, withoutSession);
    if (url.pathname === '/events') return stream(request, response);
    const page = await pageAt(url);
    if (!page) return send(response, notFound);
    response.writeHead(200, { ...commonHeaders, ...page.headers }).end(page.text);
  }

  const isOpenFor = (request: CheckedRequest) => session.isOpenFor(cookieOf(request, server.port));

  /** The browser that has the session may open the printed address again. */
  function exchange(token: string, request: CheckedRequest, response: ServerResponse): void {
    const cookie = session.redeem(token);
    if (!cookie && !isOpenFor(request)) return send(response, usedToken);
    const value = cookie && `${cookieName(server.port)}=${cookie.reveal()}; Path=/; HttpOnly; SameSite=Strict`;
    response
      .writeHead(303, { ...commonHeaders, location: '/', ...(value !== undefined && { 'set-cookie': value }) })
      .end();
  }

  function stream({ method }: IncomingMessage, response: ServerResponse): void {
    if (method === 'HEAD') return void response.writeHead(200, commonHeaders).end();
    if (streams.isFull) return send(response, tooManyStreams);
    streams.add(response, commonHeaders);
  }

  return {
    address: `${server.url}/?token=${session.token?.reveal() ?? ''}`,
    announce: () => streams.announce(),
    async stop() {
      streams.stop();
      await server.stop(graceMs);
    },
  };
}

function send(response: ServerResponse, { status, message }: RefusedRequest): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const headers = {
    ...commonHeaders,
    'content-type': 'text/plain; charset=utf-8',
    ...(status === 405 && { allow: 'GET, HEAD' }),
  };
  response.writeHead(status, headers).end(`${message}\n`);
}

const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

const withoutSession: RefusedRequest = {
  status: 403,
  message:
    'This browser has no session, or a page of another site linked here. Paste the address that rolealerts ui printed, with its token, into the address line.',
};
const usedToken: RefusedRequest = {
  status: 403,
  message:
    'The token of this address is wrong or was used already. Paste it into the address line of the browser that opened it first, or start rolealerts ui again.',
};
const tooManyStreams: RefusedRequest = {
  status: 503,
  message: 'Too many pages wait for changes. Close some of them, then reload this one.',
};
const notFound: RefusedRequest = {
  status: 404,
  message: 'There is no such page, or its policy was deleted. The fleet is at /.',
};
