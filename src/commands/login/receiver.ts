// Receives the authorization response on a free loopback port (RFC 8252 section 7.3): serves the page that posts the fragment, and
// accepts it from that page only.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

import { startHttpServer } from '../../lib/http-server.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { readBody } from '../../lib/read-bytes.ts';
import type { LoginAnswer } from './login-answer.ts';

export interface CallbackServer {
  readonly redirectURI: string;
  /** The first response to this sign-in. Never rejects, and may stay pending for ever. */
  readonly answered: Promise<Exclude<LoginAnswer, { kind: 'foreign' }>>;
  stop(): Promise<void>;
}

const path = '/callback';
const fragmentLimitBytes = 16_384;

const messages = {
  token: 'You are signed in. You can close this page.',
  refused: 'You are not signed in. The terminal shows the reason.',
  foreign: 'This response does not belong to the current sign-in. Follow the link in the terminal again.',
} as const satisfies Record<LoginAnswer['kind'], string>;

/** `parse` must not reject. */
export async function startReceiver(parse: (fragment: string) => MaybePromise<LoginAnswer>): Promise<CallbackServer> {
  const { promise: answered, resolve } = Promise.withResolvers<Exclude<LoginAnswer, { kind: 'foreign' }>>();
  let origin = '';
  const take = async (fragment: string, outgoing: ServerResponse) => {
    const answer = await parse(fragment);
    sayText(outgoing, answer.kind === 'foreign' ? 400 : 200, messages[answer.kind]);
    if (answer.kind !== 'foreign') outgoing.once('close', () => resolve(answer));
  };
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, (incoming, outgoing) => {
    // Another page may know the port, but it cannot make a browser send our host and origin.
    if (`http://${incoming.headers.host}` !== origin || incoming.url?.split('?')[0] !== path)
      sayText(outgoing, 404, 'Not found.');
    else if (incoming.method === 'GET') outgoing.writeHead(200, callbackHeaders).end(callbackPage);
    else if (incoming.method !== 'POST') sayText(outgoing, 405, 'Method not allowed.');
    else if (incoming.headers.origin !== origin) sayText(outgoing, 403, 'This origin is not allowed.');
    else {
      readBody(incoming, fragmentLimitBytes, (body) => {
        // Never parse a truncated response.
        if (body.length > fragmentLimitBytes) incoming.destroy();
        else void take(body.toString('utf8'), outgoing);
      });
    }
  });
  origin = server.url;
  return { redirectURI: `${server.url}${path}`, answered, stop: () => server.stop() };
}

function sayText(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  outgoing.end(message);
}

/**
 * A browser never sends a fragment to a server, so the script of the page posts it, after removing it from the address bar and the history.
 */
const script = `
const fragment = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
const say = (text) => { document.querySelector('p').textContent = text; };
fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: fragment })
  .then((answer) => answer.text())
  .then(say, () => say('The program that started this sign-in is no longer running. Start it again.'));
`;

const style = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } body { display: grid; place-items: center; min-height: 90vh; }`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const callbackPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>rolealerts</title><style>${style}</style></head>
<body><p role="status">One moment …</p><noscript>This page needs JavaScript to send the token to the program.</noscript>
<script>${script}</script></body></html>
`;

const callbackHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
