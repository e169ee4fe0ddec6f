// The server of `rolealerts ui`: the page on loopback for the browser that opened it, read-only.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

import { type RunningServer, startHttpServer } from '../../lib/http-server.ts';
import type { SecretSource, SecretText } from '../../lib/secret-text.ts';
import { hashOf, styleHash } from '../report/html.ts';
import { liveScript } from './live-script.ts';

export interface UiOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly newSecret: SecretSource;
  /** The page at this address; undefined when there is none. A rejection answers 502 with `failureOf`. */
  readonly pageAt: (url: URL) => Promise<string | undefined>;
  /** Why a page failed, as a sentence. */
  readonly failureOf: (error: unknown) => string;
}

export interface RunningUi {
  /** With the one-time token. */
  readonly address: string;
  /** Ends within a second, whatever is open. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const graceMs = 500;
const mostConnections = 64;

/** Throws `LocalError` when the port is in use. */
export async function startUi({ port, newSecret, pageAt, failureOf }: UiOptions): Promise<RunningUi> {
  const session = new Session(newSecret);
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
    const page = await pageAt(url);
    if (page === undefined) return send(response, notFound);
    response.writeHead(200, { ...commonHeaders, ...pageHeaders }).end(page);
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

  return {
    address: `${server.url}/?token=${session.token?.reveal() ?? ''}`,
    stop: () => server.stop(graceMs),
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

/** Of every page: nothing runs but the script, and nothing is loaded from elsewhere. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashOf(liveScript)}; style-src ${styleHash}; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
};

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
const notFound: RefusedRequest = {
  status: 404,
  message: 'There is no such page, or its policy was deleted. The fleet is at /.',
};

interface CheckedRequest {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

interface RefusedRequest {
  readonly status: number;
  /** A sentence with the fix. */
  readonly message: string;
}

/**
 * Any page of the web can send requests to loopback, under a name that its DNS resolves to 127.0.0.1, too. Undefined when the request comes from a page of this
 * server, or from the address line.
 */
export function refusalOf({ method, headers }: CheckedRequest, port: number): RefusedRequest | undefined {
  const hosts = loopbackHosts.map((host) => (port === defaultPort ? host : `${host}:${port}`));
  if (headers.host === undefined || !hosts.includes(headers.host.toLowerCase())) {
    return refused(`This page answers only as ${hosts.join(' or ')}. Open the address that rolealerts ui printed.`);
  }
  if (headers.origin !== undefined && headers.origin.toLowerCase() !== `http://${headers.host.toLowerCase()}`) {
    return refused('This page answers no requests of other pages. Open it in a window of its own.');
  }
  const site = headers['sec-fetch-site'];
  if ((site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] !== 'navigate') {
    return refused('This page answers no requests of other pages. Open it in a window of its own.');
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, message: 'This page only shows the fleet: it answers GET and HEAD.' };
  }
  return undefined;
}

/** Another port of this machine has its own cookies only by their name. */
function cookieName(port: number): string {
  return `rolealerts-ui-${port}`;
}

/** Undefined without the cookie. */
export function cookieOf({ headers }: CheckedRequest, port: number): string | undefined {
  const start = `${cookieName(port)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((text) => text.trim());
  return cookies.find((text) => text.startsWith(start))?.slice(start.length);
}

/** That of http, which browsers leave out of Host and Origin. */
const defaultPort = 80;

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'] as const;

const refused = (message: string): RefusedRequest => ({ status: 403, message });

/** The printed address has a token; its first use gives the browser a cookie, and the token is worth nothing from then on. */
class Session {
  /** For the address; undefined once it was used. */
  #token: SecretText | undefined;
  readonly #cookie: SecretText;

  constructor(newSecret: SecretSource) {
    this.#token = newSecret();
    this.#cookie = newSecret();
  }

  /** What the address needs. Undefined once it was used. */
  get token(): SecretText | undefined {
    return this.#token;
  }

  /** The value of the cookie for the first request with the token; undefined for every other text. */
  redeem(token: string): SecretText | undefined {
    if (!this.#token || !isSameText(token, this.#token.reveal())) return undefined;
    this.#token = undefined;
    return this.#cookie;
  }

  isOpenFor(cookie: string | undefined): boolean {
    return cookie !== undefined && isSameText(cookie, this.#cookie.reveal());
  }
}

/** Takes the same time whatever differs, also the length. */
function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
