// The OpenAPI description against the service: what it allows is taken, what it does not is refused and changes nothing,
// and whatever is answered is described.
import { readFile } from 'node:fs/promises';

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { UsageError } from '../../../src/lib/command-errors.ts';
import { decodeSeed } from '../../../src/service/alerts/seed.ts';
import type { SimulatedAlerts } from '../../../src/service/alerts/simulated-alerts.ts';
import { createAlertsService } from '../../../src/service/create-service.ts';
import { bodyText } from '../../../src/service/http/message.ts';
import { nameProblem, scopeProblem } from '../../../src/service/http/resource-path.ts';
import { startAlertsService } from '../../../src/service/server.ts';
import { serviceDefaults } from '../../../src/service/service-options.ts';
import { describedRequests, type DescribedRequest } from '../../support/builders/described-requests.ts';
import { awkwardText, fuzz, jsonText, mutated } from '../../support/builders/mutate-json.ts';
import { createResponseCheck, type HttpCall } from '../../support/checks/openapi-check.ts';
import { describedDocument } from '../../support/checks/openapi-fingerprint.ts';
import { sendRaw } from '../../support/rigs/raw-http.ts';
import {
  apiVersion,
  listPath,
  serviceOptions,
  staticToken,
  withRequestID,
  type ListBody,
} from '../../support/servers/alerts-service.ts';

const problemsOf = createResponseCheck(describedDocument);
const { parameters } = describedDocument.components;
const names = {
  scope: ['subscriptions/one', 'SUBSCRIPTIONS/One', 'subscriptions/two words/x(1)', 'ümlaut/%2F', 'empty'],
  alertId: ['A', 'a', 'B', 'C d'],
};
const seed = {
  scopes: {
    'subscriptions/one': { value: [{ name: 'A', properties: { isActive: true } }, { name: 'B' }] },
    'subscriptions/two words/x(1)': { value: [{ name: 'C d', properties: { isActive: true } }] },
    'ümlaut/%2F': { value: [{ name: 'A' }] },
    empty: { value: [] },
  },
};
const requests = describedRequests(describedDocument, { names, token: staticToken });
const options = () => serviceOptions({ seed, pageSize: 1 });

/** The active flag of every alert, by scope and name. */
async function flagsOf(alerts: SimulatedAlerts): Promise<Record<string, unknown>> {
  const all = Object.entries(seed.scopes).flatMap(([scope, { value }]) =>
    value.map(async ({ name }) => {
      const properties = (await alerts.readAlert(scope, name))?.['properties'] as { isActive?: unknown } | undefined;
      return [`${scope} ${name}`.toLowerCase(), properties?.isActive] as const;
    }),
  );
  return Object.fromEntries(await Promise.all(all));
}

/** What the flags have to be after the request: as they were, but for an allowed update of an alert that exists. */
function expectedFlags(before: Record<string, unknown>, request: DescribedRequest): Record<string, unknown> {
  const alert = `${request.names['scope']} ${request.names['alertId']}`.toLowerCase();
  if (!request.isAllowed || request.method !== 'PATCH' || !Object.hasOwn(before, alert)) return before;
  const { properties } = JSON.parse(Buffer.from(request.body).toString()) as { properties: { isActive: boolean } };
  return { ...before, [alert]: properties.isActive };
}

type Send = (request: DescribedRequest) => Promise<Pick<HttpCall, 'status' | 'headers' | 'body'>>;

async function expectHeld(alerts: SimulatedAlerts, send: Send, request: DescribedRequest): Promise<void> {
  const before = await flagsOf(alerts);
  const answer = await send(request);
  const expected = expectedFlags(before, request);
  expect(await flagsOf(alerts)).toEqual(expected);
  expect(answer.status).toBeLessThan(500);
  expect(problemsOf({ ...answer, method: request.method, target: request.target })).toEqual([]);
  const isUpdated = request.method === 'PATCH' && answer.status < 300;
  expect(isUpdated && !request.isAllowed).toBe(false);
}

test('no request over a socket is answered otherwise, or not at all', async () => {
  const service = await startAlertsService(options());
  const send: Send = async (request) => {
    const { text, ...answer } = await sendRaw(service.url, request);
    return { ...answer, body: text };
  };
  await fc.assert(
    fc.asyncProperty(requests, (request) => expectHeld(service.alerts, send, request)),
    fuzz(300),
  );
  await service.stop();
});

test('what is drawn is taken often enough to matter, and refused for every reason', async () => {
  const service = await createAlertsService(options());
  const statuses = new Set<number>();
  for (const request of fc.sample(requests, { seed: 1, numRuns: 1500 })) {
    const { response } = await service.answer({ ...request, scheme: 'http' });
    statuses.add(response.status);
  }
  expect([...statuses].toSorted((one, other) => one - other)).toEqual([200, 204, 400, 401, 404, 405, 413, 415]);
  await service.close();
});

function isSeed(document: unknown): boolean {
  try {
    return [...decodeSeed(document, 'x', { ...serviceDefaults, nowMs: 0 })].length > 0;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

const texts = fc.oneof(
  awkwardText,
  fc.stringMatching(new RegExp(String(parameters['scope']?.schema['pattern']))),
  fc
    .array(fc.constantFrom('a', '.', '/', '..', '\0', '\u001f', ' ', '~', '\u007f', '\u0080', '%', '\u{1f600}'), {
      maxLength: 8,
    })
    .map((all) => all.join('')),
  fc
    .record({ text: fc.constantFrom('a', '\u{1f600}', 'é'), count: fc.integer({ min: 1020, max: 1028 }) })
    .map(({ text, count }) => text.repeat(count)),
);

test.each([
  ['scope', scopeProblem],
  ['alertId', (text: string) => nameProblem(text, 'alert name')],
])('every text is a %s by the description exactly when it is one to the service', (name, problem) => {
  const validate = new Ajv2020().compile(parameters[name]?.schema ?? false);
  fc.assert(
    fc.property(
      texts.filter((text) => text.isWellFormed()),
      (text) => {
        expect(validate(text)).toBe(problem(text) === undefined);
      },
    ),
    fuzz(1000),
  );
});

test('every alert that a seed may hold is listed as described', async () => {
  const file = new URL('../../fixtures/service/four-kinds.yaml', import.meta.url);
  const { scopes } = parse(await readFile(file, 'utf8')) as { scopes: Record<string, ListBody> };
  const kinds = Object.values(scopes).flatMap(({ value }) => value);
  const service = await createAlertsService(serviceOptions());
  const target = `/s${listPath}?${apiVersion}`;
  const headers = { host: 'service.test', authorization: `Bearer ${staticToken}` };
  const alerts = fc
    .constantFrom(...kinds)
    .chain(mutated)
    .map(jsonText);
  await fc.assert(
    fc.asyncProperty(alerts, async (text) => {
      const alert = { ...(JSON.parse(text || 'null') as object), name: 'A' };
      fc.pre(isSeed({ scopes: { s: { value: [alert] } } }));
      await service.alerts.putAlert('s', alert);
      const request = { method: 'GET', target, headers, body: new Uint8Array(), scheme: 'http' } as const;
      const { response } = await service.answer(request);
      expect(problemsOf({ method: 'GET', target, ...withRequestID(response), body: bodyText(response) })).toEqual([]);
    }),
    fuzz(300),
  );
  await service.close();
});
