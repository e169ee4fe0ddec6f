// The server of `rolealerts ui` on a socket: who gets in, what every response carries, and that it ends.
import { request } from 'node:http';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { type RunningUi, startUi } from '../../src/commands/ui/ui-server.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

let ui: RunningUi;
let port: number;
let requested: string[];
beforeEach(async () => {
  requested = [];
  const pageAt = async ({ pathname }: URL) => {
    requested.push(pathname);
    if (pathname === '/broken') throw new Error('refused.');
    return pathname === '/' ? 'the page' : undefined;
  };
  const failureOf = () => 'The API server did not answer.';
  ui = await startUi({ port: 0, newSecret: systemSecrets, pageAt, failureOf });
  port = Number(new URL(ui.address).port);
});
afterEach(() => ui.stop());

function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject).end();
  });
}

async function signIn(): Promise<Record<string, string>> {
  const { status, headers } = await get(`/${new URL(ui.address).search}`);
  expect([status, headers['location']]).toEqual([303, '/']);
  return { cookie: String(headers['set-cookie']).split(';')[0] ?? '' };
}

describe('the token of the address', () => {
  test('gives a cookie that only this server gets and no script reads', async () => {
    const { headers } = await get(`/${new URL(ui.address).search}`);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^rolealerts-ui-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)),
    ]);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  });

  test('works once: then only the browser with the cookie gets in', async () => {
    const cookie = await signIn();
    const again = await get(`/${new URL(ui.address).search}`);
    expect([again.status, again.body]).toEqual([403, expect.stringContaining('start rolealerts ui again.\n')]);
    expect((await get(`/${new URL(ui.address).search}`, cookie)).status).toBe(303);
    expect((await get('/', cookie)).body).toBe('the page');
  });

  test('is not used up by HEAD, with which programs look at an address before a person opens it', async () => {
    expect((await get(`/${new URL(ui.address).search}`, {}, 'HEAD')).status).toBe(403);
    await signIn();
  });

  test.each(['/?token=', '/?token=wrong'])('is refused when wrong: %s', async (path) => {
    expect((await get(path)).status).toBe(403);
    await signIn();
  });
});

test.each([
  ['no cookie', {}],
  ['a wrong cookie', { cookie: 'rolealerts-ui-0=x' }],
])('with %s no page is made, and a sentence says what to open', async (_, headers) => {
  for (const path of ['/', '/policies/team/owners']) {
    const { status, body } = await get(path, headers);
    expect([status, body]).toEqual([403, expect.stringContaining('Paste the address that rolealerts ui printed')]);
  }
  expect(requested).toEqual([]);
});

test.each<[string, Record<string, string>]>([
  ['Host', { host: 'rebound.example' }],
  ['Origin', { origin: 'https://evil.example' }],
])('a foreign %s is refused, with the cookie and with the token, which stays unused', async (_, headers) => {
  expect((await get(`/${new URL(ui.address).search}`, headers)).status).toBe(403);
  const cookie = await signIn();
  expect((await get('/', { ...cookie, ...headers })).status).toBe(403);
});

test('a page allows only its own script and style, and no frame', async () => {
  const { headers } = await get('/', await signIn());
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' });
});

test('other methods get 405, unknown pages 404, and a failure 502 with a sentence', async () => {
  const cookie = await signIn();
  expect(await get('/', cookie, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  expect(await get('/none', cookie)).toMatchObject({ status: 404 });
  expect(await get('/broken', cookie)).toMatchObject({ status: 502, body: 'The API server did not answer.\n' });
});
