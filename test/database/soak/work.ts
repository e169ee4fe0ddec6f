// The work of a soak: workers that sign in, get tokens, list and update until the time is over. Each alert has one writer, so that what an
// acknowledged update has set is known at any time.
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { SignJWT, type CryptoKey } from 'jose';
import { Agent, request, type Dispatcher } from 'undici';

import { apiVersion, listPath } from '../../support/servers/alerts-service.ts';
import type { Answered, Figures } from './figures.ts';

export const publicURL = 'http://service.test';
export const operator = { id: 'operator', secret: 'a-secret-of-the-operator' };
export const robotID = 'robot';
export const user = { name: 'ada', password: 'correct horse' };
export const scope = 'soak';
const writers = 4;
const alertsOfWriter = 50;
export const alertNames = Array.from({ length: writers * alertsOfWriter }, (_, index) => `Alert${index}`);

/** Time after which a worker gets a new token. */
const tokenUsedForMs = 60_000;

/** What the writer of an alert knows of it. */
export interface WrittenAlert {
  isActive: boolean;
  /** Acknowledged changes of the flag. */
  changes: number;
  /** True from the first attempt of an update until its acknowledgement. */
  isChanging: boolean;
}

export interface Work {
  readonly urls: readonly string[];
  readonly robotKey: CryptoKey;
  readonly figures: Figures;
  readonly alerts: ReadonlyMap<string, WrittenAlert>;
  /** Aborts when the time is over. A worker finishes the update that it has begun. */
  readonly over: AbortSignal;
}

interface Answer {
  readonly status: Answered;
  readonly text: string;
  readonly location: string;
}

type RequestOptions = Partial<Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>>;

export async function runWorkers(work: Work): Promise<void> {
  const agent = new Agent({ connections: 16 });
  let sent = 0;

  /** Sends to each process by turns. `expected` are the statuses of a success. */
  const send = async (name: string, path: string, options: RequestOptions, expected: readonly number[]) => {
    const url = work.urls[(sent += 1) % work.urls.length] ?? '';
    const startedMs = performance.now();
    const answer = await exchange(agent, `${url}${path}`, options);
    work.figures.add(name, answer.status, performance.now() - startedMs, expected);
    if (!expected.includes(Number(answer.status))) await delay(50);
    return answer;
  };
  const post = (name: string, path: string, form: Record<string, string>, expected: readonly number[]) =>
    send(name, path, { method: 'POST', headers: formType, body: new URLSearchParams(form).toString() }, expected);

  const clientCredentials = async (): Promise<string | undefined> => {
    const form = { grant_type: 'client_credentials', client_id: operator.id, client_secret: operator.secret };
    return tokenIn(await post('client credentials', tokenPath, form, [200]));
  };

  const assertion = async (): Promise<string | undefined> => {
    const signed = await new SignJWT({ jti: randomBytes(16).toString('hex') })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(robotID)
      .setSubject(robotID)
      .setAudience(publicURL)
      .setExpirationTime('1m')
      .sign(work.robotKey);
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: signed };
    return tokenIn(await post('signed assertion', tokenPath, form, [200]));
  };

  const signIn = async (): Promise<string | undefined> => {
    const verifier = randomBytes(32).toString('base64url');
    const asked = {
      response_type: 'code',
      client_id: 'rolealerts-cli',
      redirect_uri: 'http://127.0.0.1/callback',
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
    };
    const form = { username: user.name, password: user.password, decision: 'allow' };
    const page = `/common/oauth2/authorize?${new URLSearchParams(asked).toString()}`;
    const { location } = await post('sign-in', page, form, [303]);
    const code = location === '' ? null : new URL(location).searchParams.get('code');
    if (code === null) return undefined;
    const { client_id, redirect_uri } = asked;
    const proof = { grant_type: 'authorization_code', client_id, redirect_uri, code, code_verifier: verifier };
    return tokenIn(await post('authorization code', tokenPath, proof, [200]));
  };

  const guess = () => {
    const form = {
      grant_type: 'client_credentials',
      client_id: 'stranger',
      client_secret: randomBytes(8).toString('hex'),
    };
    return post('wrong secret', tokenPath, form, [401, 429]);
  };

  const list = async (token: string): Promise<void> => {
    const before = new Map([...work.alerts].map(([name, alert]) => [name, { ...alert }]));
    let path: string | undefined = `/${scope}${listPath}?${apiVersion}`;
    while (path !== undefined) {
      const { status, text } = await send('list', path, { headers: bearer(token) }, [200]);
      if (status !== 200) return;
      const page = JSON.parse(text) as ListPage;
      for (const { name, properties } of page.value) checkFlag(work, name, properties.isActive, before.get(name));
      path = page.nextLink?.slice(publicURL.length);
    }
  };

  const update = async (name: string, alert: WrittenAlert, token: () => Promise<string>): Promise<void> => {
    const isActive = !alert.isActive;
    const path = `/${scope}${listPath}/${name}?${apiVersion}`;
    const body = JSON.stringify({ properties: { isActive } });
    alert.isChanging = true;
    for (;;) {
      const headers = { ...bearer(await token()), 'content-type': 'application/json' };
      const { status } = await send('update', path, { method: 'PATCH', headers, body }, [204]);
      if (status === 204) break;
    }
    Object.assign(alert, { isActive, changes: alert.changes + 1, isChanging: false });
  };

  /** Gives a worker its token, and a new one after some time. Waits for an outage to end. */
  const holder = (get: () => Promise<string | undefined>) => {
    let held: string | undefined;
    let sinceMs = 0;
    return async (): Promise<string> => {
      if (held !== undefined && performance.now() - sinceMs < tokenUsedForMs) return held;
      do held = await get();
      while (held === undefined);
      sinceMs = performance.now();
      return held;
    };
  };

  const repeat = async (piece: () => Promise<unknown>, pauseMs: number) => {
    while (!work.over.aborted) {
      await piece();
      await delay(pauseMs);
    }
  };
  const listWithNew = (get: () => Promise<string | undefined>) => async () => {
    const token = await get();
    if (token !== undefined) await list(token);
  };

  const listToken = holder(clientCredentials);
  const write = (own: readonly string[]) => {
    const token = holder(clientCredentials);
    let next = 0;
    return repeat(async () => {
      const name = own[(next += 1) % own.length] ?? '';
      await update(name, work.alerts.get(name) as WrittenAlert, token);
    }, 5);
  };

  await Promise.all([
    ...Array.from({ length: writers }, (_, index) =>
      write(alertNames.slice(index * alertsOfWriter, (index + 1) * alertsOfWriter)),
    ),
    repeat(async () => list(await listToken()), 20),
    repeat(listWithNew(clientCredentials), 100),
    repeat(listWithNew(assertion), 100),
    repeat(listWithNew(signIn), 100),
    repeat(guess, 500),
  ]);
  await agent.destroy();
}

const tokenPath = '/common/oauth2/token';
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

interface ListPage {
  readonly value: readonly { readonly name: string; readonly properties: { readonly isActive: boolean } }[];
  readonly nextLink?: string;
}

function tokenIn({ status, text }: Answer): string | undefined {
  return status === 200 ? (JSON.parse(text) as { access_token: string }).access_token : undefined;
}

/** An alert that was not written during the list has the flag of its last acknowledged update. */
function checkFlag({ alerts, figures }: Work, name: string, isActive: boolean, before: WrittenAlert | undefined): void {
  const now = alerts.get(name);
  if (!now || !before || before.isChanging || now.isChanging || now.changes !== before.changes) return;
  if (isActive !== now.isActive) figures.note(`a list has ${name} as it was before an acknowledged update`);
}

async function exchange(agent: Agent, url: string, options: RequestOptions): Promise<Answer> {
  try {
    const { statusCode, headers, body } = await request(url, {
      ...options,
      dispatcher: agent,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    });
    return { status: statusCode, text: await body.text(), location: String(headers['location'] ?? '') };
  } catch {
    return { status: 'lost', text: '', location: '' };
  }
}
