// The server of `rolealerts ui`: one page on loopback, read-only, at an address with a token. Nothing else lets a request in, such as a cookie that a
// browser sends by itself, so pages of other sites and other users of this machine get no page.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { startHttpServer } from '../../lib/http-server.ts';
import type { SecretSource } from '../../lib/secret-text.ts';
import { hashOf, styleHash } from '../report/html.ts';
import { liveScript } from './live-script.ts';

export interface UiOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly newSecret: SecretSource;
  /** The page with these parameters in its address. */
  readonly pageFor: (parameters: URLSearchParams) => string;
}

export interface RunningUi {
  /** With the token that every request needs. */
  readonly address: string;
  /** Ends within a second, whatever is open. */
  stop(): Promise<void>;
}

const graceMs = 500;
const mostConnections = 64;

/** Throws `LocalError` when the port is in use. */
export async function startUi({ port, newSecret, pageFor }: UiOptions): Promise<RunningUi> {
  const path = `/${newSecret().reveal()}/`;
  const answer = ({ method = '', url = '/' }: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = URL.parse(url, 'http://127.0.0.1') ?? new URL('http://127.0.0.1');
    if (!isSameText(pathname, path)) return refuse(response, 404, 'Open the address that rolealerts ui printed.');
    if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'This page only shows the fleet.');
    response.writeHead(200, { ...commonHeaders, ...pageHeaders }).end(pageFor(searchParams));
  };
  const listen = { host: '127.0.0.1', port };
  const server = await startHttpServer(listen, answer, { maxConnections: mostConnections });
  return { address: `${server.url}${path}`, stop: () => server.stop(graceMs) };
}

function refuse(response: ServerResponse, status: 404 | 405, message: string): void {
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...commonHeaders, ...type, ...(status === 405 && { allow: 'GET, HEAD' }) });
  response.end(`${message}\n`);
}

/** Of the page: nothing runs but the script, and nothing is loaded from elsewhere. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashOf(liveScript)}; style-src ${styleHash}; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
};

/** No response gives the address or the content to another page or a cache. */
const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** Takes the same time whatever differs, also the length. */
function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
