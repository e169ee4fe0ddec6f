// Receives the authorization response on a free loopback port (RFC 8252 section 7.3): serves the page that posts the fragment, and
// accepts it from that page only.
import type { ServerResponse } from 'node:http';

import { startHttpServer } from '../../lib/http-server.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { readBody } from '../../lib/read-body.ts';
import { callbackHeaders, callbackPage } from './callback-page.ts';
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
