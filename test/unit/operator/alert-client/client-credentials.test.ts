// What a token endpoint is asked and what its responses mean, over a fake transport: lives at their bounds, refusals with their words, and
// answers that are none.
import { describe, expect, it } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import {
  type Authenticate,
  type ClientCredentialsOptions,
  createClientCredentialsFetch,
  withAssertion,
} from '../../../../src/operator/alert-client/client-credentials.ts';
import type { HttpRequest, HttpResponse } from '../../../../src/operator/alert-client/http-call.ts';
import type { Transport } from '../../../../src/operator/alert-client/transport.ts';
import { errorOf } from '../../../support/builders/errors.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const json = { 'content-type': 'application/json' };
const token = (more: object = {}) => ({ access_token: 'issued', token_type: 'Bearer', ...more });

function answerOf(body: unknown, status = 200, headers: object = {}): HttpResponse {
  return {
    status,
    headers: { ...json, ...headers },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}

async function fetched(
  response: HttpResponse | CodedError,
  secret = 's3cret',
  scopes: string[] = [],
  authenticate?: Authenticate,
) {
  const requests: HttpRequest[] = [];
  const transport: Transport = {
    send: async (request) => {
      requests.push(request);
      if (response instanceof CodedError) throw response;
      return response;
    },
    stop: async () => undefined,
  };
  const options: ClientCredentialsOptions = {
    tokenURL: 'https://login.example/token?tenant=1',
    clientID: 'operator',
    scopes,
    allowHttp: false,
    allowedHosts: [],
    clock: new ManualClock(),
    random: { next: () => 0.5 },
    userAgent: 'rolealerts/test',
  };
  const outcome = await createClientCredentialsFetch(options, authenticate)(
    new SecretText(secret),
    transport,
    new AbortController().signal,
  ).then(
    (found) => ({ token: found.token.reveal(), lifeMs: found.lifeMs }),
    (error: CodedError) => error,
  );
  return { outcome, requests };
}

async function lifeOf(expires_in?: number) {
  const { outcome } = await fetched(answerOf(token(expires_in === undefined ? {} : { expires_in })));
  return outcome instanceof CodedError ? outcome.message : outcome.lifeMs;
}

async function failureOf(response: HttpResponse | CodedError) {
  const { outcome } = await fetched(response);
  if (!(outcome instanceof CodedError)) throw new Error('it gave a token');
  const { code, status, serviceCode, detail, retryAfterMs } = outcome;
  return { code, status, serviceCode, detail, retryAfterMs };
}

describe('a token request', () => {
  it('goes to the URL with its query, as the client, for the scopes', async () => {
    const { requests } = await fetched(answerOf(token()), 's3cret', ['a', 'b']);
    expect(requests).toMatchObject([
      {
        origin: 'https://login.example',
        target: '/token?tenant=1',
        method: 'POST',
        body: 'scope=a+b&grant_type=client_credentials',
        bodyLimitBytes: 65_536,
      },
    ]);
    const headers = requests[0]?.headers.map((each) => each.toLowerCase()) ?? [];
    expect(headers[headers.indexOf('user-agent') + 1]).toBe('rolealerts/test');
    expect(headers[headers.indexOf('accept-encoding') + 1]).toBe('identity');
    expect(requests[0]?.headers.join()).toContain(Buffer.from('operator:s3cret').toString('base64'));
  });

  it('without scopes asks for the default ones', async () => {
    const { requests } = await fetched(answerOf(token()));
    expect(requests[0]?.body).toBe('grant_type=client_credentials');
  });

  it('with an assertion has it in the body, with the client id and without a header (RFC 7523, 2.2)', async () => {
    const { requests } = await fetched(answerOf(token()), 'a.b.c', ['a'], withAssertion);
    expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'a',
      client_id: 'operator',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'a.b.c',
    });
    expect(requests[0]?.headers.map((each) => each.toLowerCase())).not.toContain('authorization');
  });

  it('is not made with an empty secret', async () => {
    const { outcome, requests } = await fetched(answerOf(token()), ' \n');
    expect([outcome, requests]).toMatchObject([{ code: 'credential-missing' }, []]);
  });
});

it('the life of a token is the value of the server between ten seconds and a day, and five minutes by default', async () => {
  const lives = await Promise.all([undefined, 9, 10, 3600, 86_400, 86_401].map(lifeOf));
  expect(lives).toEqual([300_000, 10_000, 10_000, 3_600_000, 86_400_000, 86_400_000]);
});

describe('a response', () => {
  it.each<[string, unknown]>([
    ['that is no JSON', 'nonsense'],
    ['without a token', { token_type: 'Bearer' }],
    ['with another kind of token', token({ token_type: 'mac' })],
    ['with a token that no header carries', token({ access_token: 'two words' })],
  ])('%s gives none', async (_, body) => {
    expect(await failureOf(answerOf(body))).toMatchObject({ code: 'token-endpoint-failed' });
  });

  it('of 200 that does not conform to OAuth is reported with its status', async () => {
    expect(await failureOf(answerOf('nonsense'))).toMatchObject({ status: 200, serviceCode: undefined });
  });

  it.each([204, 205, 304])('of %i, which has no body, is a refusal with that status', async (status) => {
    expect(await failureOf({ status, headers: json, body: Buffer.alloc(0) })).toMatchObject({
      code: 'token-endpoint-failed',
      status,
    });
  });

  it('of 599 is a rejection, and one of 600 or without a readable body is invalid', async () => {
    const unreadable = { code: 'token-endpoint-failed', status: undefined };
    expect(await failureOf(answerOf({}, 599))).toMatchObject({ status: 599 });
    expect(await failureOf(answerOf({}, 600))).toMatchObject(unreadable);
    expect(await failureOf({ status: 200, headers: json, body: undefined, unread: 'TooLarge' })).toMatchObject(
      unreadable,
    );
  });

  it('with an error is reported with its code and description, without the secret', async () => {
    const body = { error: 'invalid_client', error_description: 'No client with s3cret.' };
    expect(await failureOf(answerOf(body, 401))).toEqual({
      code: 'token-endpoint-failed',
      status: 401,
      serviceCode: 'invalid_client',
      detail: 'No client with [redacted].',
      retryAfterMs: undefined,
    });
    expect(await failureOf(answerOf({ error: 's3cret', error_description: 5 }, 400))).toMatchObject({
      status: 400,
      serviceCode: undefined,
      detail: undefined,
    });
  });

  it('says the URL without its query, the status and the code of the response', async () => {
    const messageOf = async (body: object, status: number) => (await fetched(answerOf(body, status))).outcome;
    expect(await messageOf({ error: 'invalid_client' }, 401)).toMatchObject({
      message:
        'The token endpoint https://login.example/token rejected the request with status 401 and the error code invalid_client.',
    });
    expect(await messageOf({}, 404)).toMatchObject({
      message: 'The token endpoint https://login.example/token rejected the request with status 404.',
    });
  });

  it('that repeats the assertion is reported without it', async () => {
    const body = { error: 'invalid_client', error_description: 'a.b.c is not valid.' };
    const { outcome } = await fetched(answerOf(body, 401), 'a.b.c', [], withAssertion);
    expect(outcome).toMatchObject({ detail: '[redacted] is not valid.' });
  });

  it.each<[number, object, number | undefined]>([
    [429, { 'retry-after': '7' }, 7000],
    [503, { 'retry-after': '7' }, 7000],
    [429, {}, 5000],
    [429, { 'retry-after': ['7', '8'] }, 7000],
    [503, {}, undefined],
    [500, { 'retry-after': '7' }, undefined],
  ])('of %i with %j is asked again after %s ms', async (status, headers, expected) => {
    expect((await failureOf(answerOf({}, status, headers))).retryAfterMs).toBe(expected);
  });
});

describe('a token endpoint that cannot be used', () => {
  it.each(['service-unreachable', 'service-protocol'] as const)(
    'after %s is what failed, not the service',
    async (code) => {
      const bare = await failureOf(errorOf(code, 'unreachable'));
      expect(bare).toMatchObject({ code: 'token-endpoint-failed', detail: 'unreachable' });
      const detailed = await failureOf(errorOf(code, 'unreachable', { detail: 'ECONNREFUSED' }));
      expect(detailed.detail).toBe('ECONNREFUSED');
    },
  );

  it.each(['tls-failed', 'endpoint-invalid', 'stopped'] as const)('because of %s says so', async (code) => {
    expect((await failureOf(errorOf(code, 'x'))).code).toBe(code);
  });
});
