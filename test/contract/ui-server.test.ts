// The server of `rolealerts ui` on a socket: who gets in, what every response carries, and that it ends.
import { request } from 'node:http';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { type RunningUi, startUi } from '../../src/commands/ui/ui-server.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

let ui: RunningUi;
let path: string;
let asked: string[];
beforeEach(async () => {
  asked = [];
  const pageFor = (parameters: URLSearchParams) => {
    asked.push(parameters.toString());
    return 'the page';
  };
  ui = await startUi({ port: 0, newSecret: systemSecrets, pageFor });
  ({ pathname: path } = new URL(ui.address));
});
afterEach(() => ui.stop());

function send(target: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(ui.address);
    const sent = request({ host, port, path: target, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject).end();
  });
}

test('the address has a token of 256 bits, and gives the page with what is asked in it', async () => {
  expect(ui.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/);
  expect(await send(`${path}?q=High`)).toMatchObject({ status: 200, body: 'the page' });
  expect((await send(path, 'HEAD')).status).toBe(200);
  expect(asked).toEqual(['q=High', '']);
});

test.each([
  ['no token', () => '/'],
  ['a wrong token', () => `/${'x'.repeat(43)}/`],
  ['the beginning of the token', () => `${path.slice(0, -2)}/`],
  ['the token as a parameter', () => `/?token=${path.slice(1, -1)}`],
  ['something behind the token', () => `${path}policies`],
  ['no path', () => '//'],
])('with %s no page is made, whatever the request carries, and a sentence says what to open', async (_, target) => {
  const cookie = path.slice(1, -1);
  for (const method of ['GET', 'POST']) {
    const { status, body, headers } = await send(target(), method, { cookie, authorization: `Bearer ${cookie}` });
    expect({ status, body }).toEqual({ status: 404, body: 'Open the address that rolealerts ui printed.\n' });
    expect(headers).toMatchObject({ 'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-store' });
  }
  expect(asked).toEqual([]);
});

test('the page allows only its own script and style, and no frame; no response sets a cookie or gives the address away', async () => {
  const { headers } = await send(path);
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  expect(headers['set-cookie']).toBeUndefined();
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s gets 405', async (method) => {
  expect(await send(path, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect(asked).toEqual([]);
});
