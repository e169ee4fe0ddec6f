// Attackers at some addresses, and callers at others: who is refused, and who is not. The requests come without sockets, so that a
// test chooses their addresses, and a clock in the test's hand decides when a minute is over.
import { SignJWT } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';

import type { AlertsService } from '../../src/service/alerts-service.ts';
import { createAlertsService } from '../../src/service/create-service.ts';
import { bodyText, type ServiceRequest, type ServiceResponse } from '../../src/service/http/message.ts';
import { attemptWindowMs } from '../../src/service/oauth/attempt-limit.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import {
  clientsWith,
  newKeyPair,
  operator,
  portalURI,
  publicURL,
  signInForm,
  tokenTarget,
  users,
} from '../support/rigs/oauth-rig.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { handClock, serviceOptions, staticToken } from '../support/servers/alerts-service.ts';

const running: AlertsService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

async function started(options: Partial<AlertsServiceOptions> = {}) {
  const clock = handClock();
  const registered = { publicURL, clients: clientsWith(), users };
  const service = await createAlertsService(serviceOptions({ seed, clock, ...registered, ...options }));
  running.push(service);
  const send = async (from: string, request: Partial<ServiceRequest>): Promise<ServiceResponse> => {
    const whole = { method: 'GET', target: listOne, body: new Uint8Array(), scheme: 'http', ...request } as const;
    const headers = { host: 'service.test', ...request.headers };
    return (await service.answer({ ...whole, headers, clientAddress: from })).response;
  };
  const sendFormFrom = (from: string, { target, body }: { readonly target: string; readonly body: string }) =>
    send(from, {
      method: 'POST',
      target,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body),
    });
  return {
    clock,
    list: (from: string, token: string) => send(from, { headers: { authorization: `Bearer ${token}` } }),
    askToken: (from: string, members: Record<string, string>) =>
      sendFormFrom(from, { target: tokenTarget, body: new URLSearchParams(members).toString() }),
    signIn: (from: string, username: string, password: string) =>
      sendFormFrom(from, signInForm({ ...asked, username, password, decision: 'allow' })),
  };
}

const asked = { response_type: 'token', client_id: 'portal', redirect_uri: portalURI };
const attacker = '192.0.2.66';
const caller = '198.51.100.1';
const times = (count: number) => Array.from({ length: count }, (_, index) => index);
const secretOf = ({ id, secret }: { id: string; secret: string }) => ({
  grant_type: 'client_credentials',
  client_id: id,
  client_secret: secret,
});

describe('client secrets', () => {
  test('for many ids from one address are refused after three hundred, but not for a client that got a token there', async () => {
    const { askToken } = await started();
    expect((await askToken(attacker, secretOf(operator))).status).toBe(200);
    for (const id of times(300)) await askToken(attacker, secretOf({ id: `invented-${id}`, secret: 'x' }));
    const statuses = [await askToken(attacker, secretOf({ id: 'reader', secret: 'r3ader' }))];
    statuses.push(await askToken(attacker, secretOf(operator)), await askToken(caller, secretOf(operator)));
    expect(statuses.map(({ status }) => status)).toEqual([429, 200, 200]);
  });
});

describe('assertions', () => {
  async function startWithRobot() {
    const { publicJWK, privateKey } = await newKeyPair();
    const { askToken, clock } = await started({ clients: clientsWith(publicJWK) });
    const assertion = (jti: string, aud = publicURL) => {
      const claims = { iss: 'robot', sub: 'robot', aud, exp: Math.floor(clock.now() / 1000) + 60, jti };
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    };
    const redeem = (from: string, text: string) =>
      askToken(from, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: text });
    return { assertion, redeem, clock };
  }

  test('that no registered key signed are refused after three hundred in a minute from their address', async () => {
    const { assertion, redeem, clock } = await startWithRobot();
    const [header, claims] = (await assertion('forged')).split('.');
    for (const _ of times(300)) expect((await redeem(attacker, `${header}.${claims}.AAAA`)).status).toBe(400);
    const refused = await redeem(attacker, await assertion('one'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await redeem(caller, await assertion('one'))).status).toBe(200);
    clock.advance(attemptWindowMs);
    expect((await redeem(attacker, await assertion('two'))).status).toBe(200);
  });

  test('of a client are redeemed where it succeeded before, however many forged ones name it there', async () => {
    const { assertion, redeem } = await startWithRobot();
    expect((await redeem(attacker, await assertion('one'))).status).toBe(200);
    const [header, claims] = (await assertion('forged')).split('.');
    const forged = `${header}.${claims}.AAAA`;
    for (const _ of times(301)) expect((await redeem(attacker, forged)).status).toBe(400);
    expect((await redeem(attacker, await assertion('two'))).status).toBe(200);
  });

  test('that a registered key signed close nothing, whatever their claims', async () => {
    const { assertion, redeem } = await startWithRobot();
    const elsewhere = await assertion('one', 'https://other.example');
    for (const _ of times(301)) expect((await redeem(caller, elsewhere)).status).toBe(400);
    expect((await redeem(caller, await assertion('one'))).status).toBe(200);
  });
});

describe('bearer tokens', () => {
  test('that are wrong are refused unchecked after three hundred in a minute, only from their address', async () => {
    const { list, clock } = await started();
    const statuses: number[] = [];
    for (const guess of times(302)) statuses.push((await list(attacker, `guess-${guess}`)).status);
    expect(statuses).toEqual([...times(300).map(() => 401), 429, 429]);
    const refused = await list(attacker, staticToken);
    expect([refused.status, refused.errorCode, refused.headers['retry-after']]).toEqual([
      429,
      'TooManyWrongTokens',
      '60',
    ]);
    expect((await list(caller, staticToken)).status).toBe(200);
    clock.advance(attemptWindowMs);
    expect((await list(attacker, staticToken)).status).toBe(200);
  });

  test('that were right before are answered at an address that has to wait', async () => {
    const { list, askToken } = await started();
    const { access_token: token } = JSON.parse(bodyText(await askToken(attacker, secretOf(operator)))) as {
      access_token: string;
    };
    const before = [await list(attacker, token), await list(attacker, staticToken)];
    for (const guess of times(301)) await list(attacker, `guess-${guess}`);
    const after = [await list(attacker, token), await list(attacker, staticToken), await list(attacker, 'guess')];
    expect([...before, ...after].map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  });

  test('that were issued since are answered at an address that has to wait, and forged ones are not', async () => {
    const { list, askToken } = await started();
    const issued = async () => {
      const response = await askToken(attacker, secretOf(operator));
      return (JSON.parse(bodyText(response)) as { access_token: string }).access_token;
    };
    const right = await issued();
    for (const guess of times(300)) await list(attacker, `guess-${guess}`);
    const [head, claims] = right.split('.');
    const asked = [`${head}.${claims}.AAAA`, right.replace('ey', 'ez'), right, await issued()];
    const statuses = await Promise.all(asked.map(async (token) => (await list(attacker, token)).status));
    expect(statuses).toEqual([429, 429, 200, 200]);
  });

  test('that have expired are no attempts', async () => {
    const { list, askToken, clock } = await started();
    const { access_token: token } = JSON.parse(bodyText(await askToken(caller, secretOf(operator)))) as {
      access_token: string;
    };
    clock.advance(3_600_000);
    for (const _ of times(400)) expect((await list(caller, token)).status).toBe(401);
    expect((await list(caller, staticToken)).status).toBe(200);
  });

  test('of one address in both of its spellings, and of one /64, count together', async () => {
    const { list } = await started();
    await list('2001:db8::a', staticToken);
    for (const guess of times(150)) {
      await list('::ffff:192.0.2.66', `guess-${guess}`);
      await list('::ffff:c000:242', `guess-${guess}`);
      await list(`2001:db8::${guess.toString(16)}`, `guess-${guess}`);
      await list(`2001:db8:0:0:ffff::${guess.toString(16)}`, `guess-${guess}`);
    }
    const statuses = await Promise.all(
      ['192.0.2.66', '2001:db8::1:2:3:4', '2001:db8:0:1::1'].map(async (from) => (await list(from, 'x')).status),
    );
    expect([...statuses, (await list('2001:db8::b', staticToken)).status]).toEqual([429, 429, 401, 200]);
  });
});
