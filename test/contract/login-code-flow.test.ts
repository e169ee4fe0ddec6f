// The code flow of `rolealerts login`: when it is used, and what it makes of the responses of a service.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, expect, test } from 'vitest';

import { findCodeFlow, redeemCode } from '../../src/commands/login/code-flow.ts';
import { foreignIssuer } from '../../src/commands/login/login-answer.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';
import { sendForm, user, users } from '../support/rigs/oauth-rig.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const never = new AbortController().signal;
const problems: string[] = [];
const report = (problem: string) => void problems.push(problem);
const redirectURI = 'http://127.0.0.1:5555/callback';

let service: ServiceUnderTest | undefined;
let server: Server | undefined;
afterEach(async () => {
  problems.length = 0;
  await service?.stop();
  service = undefined;
  server?.close();
  server = undefined;
});

/** A service with this metadata; `change` gets the right one. */
async function serveMetadata(change: (good: Record<string, unknown>) => unknown): Promise<string> {
  const started = createServer((_, outgoing) => {
    const issuer = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
    const good = {
      issuer,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
    outgoing.end(JSON.stringify(change(good)));
  });
  server = started;
  await new Promise<void>((resolve) => void started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
}

test('the code flow of the alerts service gives a token', async () => {
  service = await startOverSocket({ seed, users, clients: [] });
  const flow = await findCodeFlow(service.origin, systemSecrets, never, report);
  if (!flow) throw new Error('no code flow');
  const received = await sendForm(service, {
    response_type: 'code',
    client_id: 'rolealerts-cli',
    redirect_uri: redirectURI,
    code_challenge: flow.codeChallenge,
    code_challenge_method: 'S256',
    username: user.name,
    password: user.password,
    decision: 'allow',
  });
  const answer = new URL(String(received.headers['location'])).searchParams;
  expect([flow.sendsIssuer, foreignIssuer(answer.toString(), flow)]).toEqual([true, undefined]);
  const code = answer.get('code') ?? '';
  const members = await redeemCode(flow, { clientID: 'rolealerts-cli', redirectURI, code }, never);
  expect(members).toMatchObject({ token_type: 'Bearer', expires_in: '3600' });
  const headers = { authorization: `Bearer ${members['access_token']}` };
  expect((await service.send({ target: listOne, headers })).status).toBe(200);
  const again = await redeemCode(flow, { clientID: 'rolealerts-cli', redirectURI, code }, never);
  expect(again).toMatchObject({ error: 'invalid_grant' });
});

test('complete metadata offers the flow', async () => {
  const url = await serveMetadata((good) => good);
  const offered = { tokenEndpoint: `${url}/token`, issuer: url, sendsIssuer: false };
  expect(await findCodeFlow(url, systemSecrets, never, report)).toMatchObject(offered);
  expect(problems).toEqual([]);
});

test.each<[string, (good: Record<string, unknown>) => unknown]>([
  ['of another issuer', (good) => ({ ...good, issuer: 'https://other.example' })],
  ['with a token endpoint elsewhere', (good) => ({ ...good, token_endpoint: 'https://evil.example/token' })],
  ['without a token endpoint', (good) => ({ ...good, token_endpoint: undefined })],
  ['of the implicit flow only', (good) => ({ ...good, response_types_supported: ['token'] })],
  ['without S256', (good) => ({ ...good, code_challenge_methods_supported: ['plain'] })],
  ['that requires a secret', (good) => ({ ...good, token_endpoint_auth_methods_supported: ['client_secret_basic'] })],
  ['that is a list', () => []],
])('metadata %s does not: the sign-in uses the implicit flow', async (_, change) => {
  expect(await findCodeFlow(await serveMetadata(change), systemSecrets, never, report)).toBeUndefined();
});

test('metadata of another issuer names the URL to use', async () => {
  const url = await serveMetadata((good) => ({ ...good, issuer: 'https://alerts.example' }));
  await findCodeFlow(url, systemSecrets, never, report);
  const problem = `The service at ${url} calls itself https://alerts.example: set --auth-url to that URL if you trust it.`;
  expect(problems).toEqual([problem]);
});

test('metadata of another issuer that its responses name end the sign-in before the password', async () => {
  const sent = { issuer: 'https://alerts.example', authorization_response_iss_parameter_supported: true };
  const url = await serveMetadata((good) => ({ ...good, ...sent }));
  await expect(findCodeFlow(url, systemSecrets, never, report)).rejects.toMatchObject({
    name: 'LocalError',
    message: `The service at ${url} calls itself https://alerts.example: set --auth-url to that URL if you trust it.`,
  });
});

test('a certificate of an unknown CA is named, with the variable that trusts it', async () => {
  service = await startOverSocket({ seed, users, clients: [], tls: { kind: 'self-signed' } });
  expect(await findCodeFlow(service.origin, systemSecrets, never, report)).toBeUndefined();
  expect(problems).toEqual([expect.stringMatching(/^Cannot read https:.*certificate.*NODE_EXTRA_CA_CERTS/)]);
});

test('a service that does not respond has no code flow, and gives no token', async () => {
  const url = await serveMetadata((good) => good);
  const flow = await findCodeFlow(url, systemSecrets, never, report);
  await new Promise((resolve) => {
    server?.close(resolve);
    server?.closeAllConnections();
  });
  expect(await findCodeFlow(url, systemSecrets, never, report)).toBeUndefined();
  if (!flow) throw new Error('no code flow');
  const refused = redeemCode(flow, { clientID: 'c', redirectURI, code: 'x' }, never);
  expect(await refused.then(() => 'redeemed', messageOf)).toMatch(/^Cannot get a token for the code: /);
});
