// The code flow of `rolealerts login`: when it is used, and what it makes of the responses of a service.
import { afterEach, expect, onTestFinished, test } from 'vitest';

import { findCodeFlow } from '../../src/commands/login/code-flow.ts';
import { systemSecrets } from '../../src/lib/secret-text.ts';
import { users } from '../support/rigs/oauth-rig.ts';
import { startService } from '../support/servers/alerts-service-cases.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const never = new AbortController().signal;
const problems: string[] = [];
const report = (problem: string) => void problems.push(problem);

afterEach(() => void (problems.length = 0));

/** The URL of a service with this metadata; `change` gets the right one. */
async function serveMetadata(change: (good: Record<string, unknown>) => unknown): Promise<string> {
  const server = await startScriptedServer((_, response) => {
    const good = {
      issuer: server.url,
      token_endpoint: `${server.url}/token`,
      response_types_supported: ['code', 'token'],
      response_modes_supported: ['query', 'fragment'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
    answer(response, 200, change(good));
  });
  onTestFinished(() => server.stop());
  return server.url;
}

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

test('metadata of another issuer that its responses name end the sign-in before the password', async () => {
  const sent = { issuer: 'https://alerts.example', authorization_response_iss_parameter_supported: true };
  const url = await serveMetadata((good) => ({ ...good, ...sent }));
  await expect(findCodeFlow(url, systemSecrets, never, report)).rejects.toMatchObject({
    name: 'LocalError',
    message: `The service at ${url} calls itself https://alerts.example: set --auth-url to that URL if you trust it.`,
  });
});

test('a certificate of an unknown CA is named, with the variable that trusts it', async () => {
  const service = await startService({ users, clients: [], tls: { kind: 'self-signed' } });
  expect(await findCodeFlow(service.origin, systemSecrets, never, report)).toBeUndefined();
  expect(problems).toEqual([expect.stringMatching(/^Cannot read https:.*certificate.*NODE_EXTRA_CA_CERTS/)]);
});
