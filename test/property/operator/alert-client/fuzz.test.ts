// Everything that the service, a token endpoint or something in between can answer, from answers that are nearly right: a
// value, or an error with a code, and never more of it than the limits allow.
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { decodeAlertPage } from '../../../../src/alerts/decode.ts';
import { CodedError, isCoded, StoppedError } from '../../../../src/lib/errors.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { interpretResponse, longestBusyMs } from '../../../../src/operator/alert-client/classify.ts';
import { createClientCredentialsFetch } from '../../../../src/operator/alert-client/client-credentials.ts';
import { parseEndpoint } from '../../../../src/operator/alert-client/endpoint.ts';
import type { HttpResponse } from '../../../../src/operator/alert-client/http-call.ts';
import { readPages } from '../../../../src/operator/alert-client/pages.ts';
import { errorCodes } from '../../../support/builders/errors.ts';
import { awkwardText, fuzz, mutated, mutatedBytes } from '../../../support/builders/mutate-json.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const endpoint = parseEndpoint(
  { baseURL: 'https://h.example', providerNamespace: 'V.A', apiVersion: '1' },
  { allowHttp: false, allowedHosts: [] },
);
const listPath = '/s/providers/V.A/roleManagementAlerts';
const page = {
  value: [
    {
      id: '/s/providers/V.A/roleManagementAlerts/TooManyOwners',
      name: 'TooManyOwners',
      type: 'V.A/roleManagementAlerts',
      systemData: { lastModifiedByType: 'User', lastModifiedAt: '2026-01-01T00:00:00.123Z', lastModifiedBy: 'a@b' },
      properties: {
        isActive: true,
        incidentCount: 2,
        lastModifiedDateTime: '0001-01-01T00:00:00Z',
        lastScannedDateTime: '2026-01-01T00:00:00+01:00',
        alertDefinition: { properties: { severityLevel: 'High' } },
        alertConfiguration: { properties: { isEnabled: true } },
        alertIncidents: [
          { name: '6f1c', properties: { alertIncidentType: 'TooManyOwners', assigneeType: 'User' } },
          { id: '/x/77aa', properties: {} },
        ],
      },
    },
    { name: 'Other', properties: { isActive: false } },
  ],
  nextLink: `https://h.example${listPath}?api-version=1&skipToken=2`,
};
const answerOf = (body: Buffer, status = 200, headers: HttpResponse['headers'] = {}): HttpResponse => ({
  status,
  headers,
  body,
});

it('a page that is nearly right is decoded or has problems, and its words are short and clean', () => {
  fc.assert(
    fc.property(mutated(page), (json) => {
      const { value, problems } = decodeAlertPage(json);
      expect(value === undefined).toBe(problems.length > 0);
      expect(problems.length).toBeLessThanOrEqual(10);
      for (const { name, incidents, incidentCount, severity } of value?.alerts ?? []) {
        expect(Number.isSafeInteger(incidentCount) && incidentCount >= incidents.length).toBe(true);
        const words = [name, severity ?? '', ...incidents.flatMap((each) => [each.id, each.type])];
        expect(words.filter((word) => word.length > 256 || /[\0-\x1f\u202a-\u202e]/.test(word))).toEqual([]);
      }
    }),
    fuzz(600),
  );
});

it('pages that are nearly right give a whole list or an error, within the number of pages that is allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(mutatedBytes(page), { minLength: 1, maxLength: 4 }), async (bodies) => {
      let reads = 0;
      const readPage = async () => answerOf(bodies[reads++ % bodies.length]!);
      const list = readPages({ endpoint, listPath, firstTarget: listPath, maxPages: 7, readPage });
      const outcome = await list.then(() => 'service-protocol', codeOf);
      expect(outcome).toBe('service-protocol');
      expect(reads).toBeLessThanOrEqual(7);
    }),
    fuzz(300),
  );
});

it('every response is a success or an error with a code, a bounded wait and bounded words', () => {
  const error = { error: { code: 'Forbidden', message: 'no', details: [{ code: 'a' }], innererror: { a: 1 } } };
  const answers = fc.record({
    status: fc.integer({ min: 100, max: 999 }),
    body: mutatedBytes(error),
    retryAfter: fc.oneof(awkwardText, fc.constantFrom('-1', '1e9', '0x10', 'Fri, 31 Dec 9999 23:59:59 GMT', '1.5')),
    date: awkwardText,
  });
  const secret = new SecretText('canary');
  fc.assert(
    fc.property(answers, fc.constantFrom('list', 'patch'), ({ status, body, retryAfter, date }, operation) => {
      const headers = { 'retry-after': retryAfter, date };
      const context = { secret, nowMs: 0, random: seededRandom(1) };
      const judged = interpretResponse(operation, answerOf(body, status, headers), context);
      const failure = judged instanceof CodedError ? judged : new StoppedError('none');
      expect(errorCodes).toContain(failure.code);
      expect((failure.detail ?? '').length).toBeLessThanOrEqual(512);
      expect(failure.retryAfterMs ?? 1).toBeGreaterThan(0);
      expect(failure.retryAfterMs ?? 1).toBeLessThanOrEqual(longestBusyMs);
    }),
    fuzz(600),
  );
});

it('a token endpoint gives a usable token with a bounded life, or an error that does not repeat the secret', async () => {
  const token = { access_token: 't0k3n', token_type: 'Bearer', expires_in: 3600, scope: 'all' };
  const refusal = { error: 'invalid_client', error_description: 'wrong canary-secret', error_uri: 'https://h.example' };
  const answers = fc.record({
    body: fc.oneof(mutatedBytes(token), mutatedBytes(refusal)),
    status: fc.constantFrom(200, 200, 200, 201, 204, 302, 400, 401, 429, 503, 599, 700),
    type: fc.constantFrom('application/json', 'text/html', 'application/json; charset=\0', ''),
    retryAfter: awkwardText,
  });
  await fc.assert(
    fc.asyncProperty(answers, async ({ body, status, type, retryAfter }) => {
      const headers = { 'content-type': type, 'retry-after': retryAfter };
      const fetchToken = createClientCredentialsFetch({
        tokenURL: 'https://login.example/token',
        clientID: 'operator',
        scopes: [],
        allowHttp: false,
        allowedHosts: [],
        clock: new ManualClock(),
        random: seededRandom(1),
        userAgent: 'rolealerts',
      });
      const credential = new SecretText('canary-secret');
      const transport = { send: async () => answerOf(body, status, headers), stop: async () => undefined };
      const { signal } = new AbortController();
      const outcome = await fetchToken(credential, transport, signal).catch((error: unknown) => {
        if (!isCoded(error)) throw error;
        return error;
      });
      const isError = outcome instanceof CodedError;
      expect(isError ? outcome.code : 'token-endpoint-failed').toBe('token-endpoint-failed');
      expect(JSON.stringify([outcome, isError && [outcome.message, outcome.detail]])).not.toContain('canary-secret');
      expect(isError ? 10_000 : outcome.lifeMs).toBeGreaterThanOrEqual(10_000);
      expect(isError ? 10_000 : outcome.lifeMs).toBeLessThanOrEqual(86_400_000);
      expect(isError ? '!' : outcome.token.reveal()).toMatch(/^[!-~]+$/);
    }),
    {
      ...fuzz(400),
      // Once found: a description that is no text.
      examples: [[{ body: describedBy({ a: 1 }), status: 400, type: 'application/json', retryAfter: '' }]],
    },
  );
});

function describedBy(error_description: unknown): Buffer {
  return Buffer.from(JSON.stringify({ error: 'invalid_client', error_description }));
}

function codeOf(error: unknown): string {
  if (error instanceof CodedError) return error.code;
  throw error;
}
