// Faults of requests to the alerts service: each status, invalid bodies of every kind, broken nextLinks.
import type { SimAnswer } from '../engine/types.ts';
import type { Fault } from './fault-plan.ts';
import { networkFaults } from './network-faults.ts';

/** A host that must never receive a request. */
export const foreignOrigin = 'https://foreign.sim';

const statuses = [400, 401, 403, 404, 408, 409, 412, 418, 429, 500, 501, 502, 503, 504];
const shortRetryAfters = [undefined, '0', '1', '20', '90', '-5', 'soon'];
const allRetryAfters = [...shortRetryAfters, '3600', '99999999999', 'Thu, 01 Jan 2026 00:20:00 GMT'];

const refusals = Object.fromEntries(
  statuses.map((status): [string, Fault] => [
    String(status),
    ({ random, isPatient }) => {
      const retryAfters = isPatient ? allRetryAfters : shortRetryAfters;
      const retryAfter = retryAfters[Math.floor(random.next() * retryAfters.length)];
      const headers = retryAfter !== undefined && [429, 503].includes(status) ? { 'retry-after': retryAfter } : {};
      return { kind: 'replace', answer: { status, headers, body: errorBody(status) } };
    },
  ]),
);

function errorBody(status: number): string {
  return JSON.stringify({ error: { code: `Drawn${status}`, message: 'drawn, in-the-words-of-the-service' } });
}

/** In place of a page of the list; other requests are left alone. */
const instead =
  (answer: (path: string, origin: string) => SimAnswer): Fault =>
  ({ request }) =>
    request.method === 'GET' ? { kind: 'instead', answer: answer(request.path, request.origin) } : undefined;

const page = (body: unknown): SimAnswer => ({
  status: 200,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

export const serviceFaults: Readonly<Record<string, Fault>> = {
  ...networkFaults,
  ...refusals,
  html: instead(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' })),
  empty: instead(() => page('')),
  null: instead(() => page('null')),
  'wrong shape': instead(() => page({ value: [{ name: 3, properties: [] }] })),
  'value missing': instead(() => page({ values: [] })),
  huge: instead(() => page(`{"value":[],"padding":"${'x'.repeat(100_000)}"}`)),
  'page loop': instead((path, origin) => page({ value: [], nextLink: `${origin}${path}` })),
  'foreign next link': instead((path) => page({ value: [], nextLink: `${foreignOrigin}${path}` })),
  'truncated json': instead(() => page('{"value":[{"name":"TooMany')),
  'applied, other answer': ({ request }) =>
    request.method === 'PATCH' ? { kind: 'instead', answer: { status: 500, body: '' } } : undefined,
  'other success': ({ request }) =>
    request.method === 'PATCH' ? { kind: 'instead', answer: { status: 200, body: '{}' } } : undefined,
  'other success, not done': ({ request }) =>
    request.method === 'PATCH' ? { kind: 'replace', answer: { status: 204, body: '' } } : undefined,
};
