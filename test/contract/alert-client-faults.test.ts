// The client against the service with faults on demand: one row a fault, the error that the controller receives, and what is true
// of the alert afterwards.
import { afterEach, expect, test } from 'vitest';

import { isCoded } from '../../src/lib/errors.ts';
import type { AlertClient } from '../../src/operator/alert-client/alert-client.ts';
import type { ConnectOptions } from '../../src/operator/alert-client/connect.ts';
import { routesOfFault } from '../../src/service/faults/fault-routes.ts';
import { malformations } from '../../src/service/faults/fault.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { call, connectClient } from '../support/rigs/alert-client-rig.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { serviceOptions, staticToken } from '../support/servers/alerts-service.ts';

const scope = 'subscriptions/s1';
const names = ['A', 'B', 'C'];
const seed = { scopes: { [scope]: { value: names.map((name) => ({ name, properties: { isActive: true } })) } } };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Time in the service does not advance, so a late or slow response never arrives. */
async function started(rules: readonly object[], change: Partial<ConnectOptions> = {}) {
  const clock = new ManualClock();
  const service = await startAlertsService(serviceOptions({ seed, clock, pageSize: 2, faults: { rules } }));
  stops.push(() => service.stop());
  const client = connect(service.url, change);
  const isActive = async () =>
    ((await service.alerts.readAlert(scope, 'A')) as { properties: { isActive: boolean } }).properties.isActive;
  return { service, client, clock, isActive };
}

function connect(baseURL: string, change: Partial<ConnectOptions>): AlertClient {
  const limits = { maxPages: 5, maxPageBytes: 100_000, maxConcurrent: 4, requestTimeoutMs: 300_000 };
  const client = connectClient(baseURL, staticToken, { limits, ...change });
  stops.push(() => client.stop());
  return client;
}

/** The result for the controller: the names of the alerts, what a PATCH proved, or the error. */
async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    if (!isCoded(error)) throw error;
    const { code, reason, status, retryAfterMs } = error;
    return { code, ...(reason && { reason }), ...(status && { status }), ...(retryAfterMs && { retryAfterMs }) };
  }
}

const listed = async (client: AlertClient) =>
  (await client.listAlerts(scope, call())).alerts.map(({ name }) => name).join('');
const turnedOff = (client: AlertClient) => client.patchAlert(scope, 'A', false, call());

const impatient = { limits: { maxPages: 5, maxPageBytes: 100_000, maxConcurrent: 4, requestTimeoutMs: 150 } };
const closed = { code: 'service-unreachable', reason: 'Closed' };
const timedOut = { code: 'service-unreachable', reason: 'TimedOut' };
const unsafeLink = { code: 'service-protocol', reason: 'UnsafeNextLink' };
const busy = (status: number, retryAfterMs: unknown) => ({ code: 'service-busy', status, retryAfterMs });
const protocolError = { code: 'service-protocol', reason: 'ProtocolError' };

interface ListRow {
  readonly fault: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly change?: Partial<ConnectOptions>;
}

const lists: readonly ListRow[] = [
  { fault: { latency: { ms: 1 } }, expected: timedOut, change: impatient },
  { fault: { status: 500 }, expected: { code: 'service-unreachable', status: 500 } },
  { fault: { status: 503, retryAfter: 40 }, expected: busy(503, 40_000) },
  { fault: { status: 429, retryAfter: 2 }, expected: busy(429, 2000) },
  { fault: { status: 403 }, expected: { code: 'scope-forbidden', status: 403 } },
  { fault: { cut: { afterBytes: -1 } }, expected: closed },
  { fault: { cut: { afterBytes: 100 } }, expected: closed },
  { fault: { slow: { pieceBytes: 1, everyMs: 1 } }, expected: timedOut, change: impatient },
  { fault: { slow: { pieceBytes: 1, everyMs: 0 } }, expected: 'ABC' },
  { fault: { huge: { bytes: 1_073_741_824 } }, expected: { code: 'service-protocol', reason: 'ListTooLarge' } },
  { fault: { huge: { bytes: 1000 } }, expected: 'ABC' },
  ...malformations.map((how) => ({
    fault: { malformed: how },
    // Some services send JSON under another name; what counts is that it is whole and has the shape of a list.
    expected: how === 'wrong-content-type' ? 'ABC' : protocolError,
  })),
  { fault: { pageLoop: true }, expected: protocolError },
  { fault: { foreignNextLink: 'https://elsewhere.example/list' }, expected: unsafeLink },
  { fault: { foreignNextLink: 'http://[' }, expected: unsafeLink },
  { fault: { loseRequest: true }, expected: closed },
  { fault: { loseReply: true }, expected: closed },
  { fault: { expireToken: true }, expected: { code: 'service-denied', status: 401 } },
];

test.each(lists)('a list that meets $fault gives $expected', async ({ fault, expected, change }) => {
  const { client } = await started([{ match: { routes: ['list-alerts'] }, fault }], change);
  expect(await outcomeOf(listed(client))).toEqual(expected);
});

interface UpdateRow {
  readonly fault: Readonly<Record<string, unknown>>;
  readonly expected: unknown;
  readonly isActive: boolean;
  readonly change?: Partial<ConnectOptions>;
}

const updates: readonly UpdateRow[] = [
  { fault: { latency: { ms: 1 } }, expected: timedOut, isActive: false, change: impatient },
  { fault: { status: 503 }, expected: { code: 'service-unreachable', status: 503 }, isActive: true },
  { fault: { status: 409 }, expected: { code: 'alert-refused', status: 409 }, isActive: true },
  { fault: { status: 200 }, expected: 'unproven', isActive: true },
  { fault: { cut: { afterBytes: -1 } }, expected: closed, isActive: false },
  { fault: { malformed: 'not-json' }, expected: 'unproven', isActive: false },
  { fault: { ignoreUpdate: true }, expected: 'sent', isActive: true },
  { fault: { loseRequest: true }, expected: closed, isActive: true },
  { fault: { loseReply: true }, expected: closed, isActive: false },
  { fault: { reRaise: { afterMs: 1 } }, expected: 'sent', isActive: false },
  { fault: { expireToken: true }, expected: { code: 'service-denied', status: 401 }, isActive: true },
];

test.each(updates)(
  'an update that meets $fault gives $expected, and the alert is active: $isActive',
  async ({ fault, expected, isActive, change }) => {
    const rig = await started([{ match: { routes: ['update-alert'] }, fault }], change);
    expect(await outcomeOf(turnedOff(rig.client))).toEqual(expected);
    expect(await rig.isActive()).toBe(isActive);
  },
);

test('every fault has a row', () => {
  const shown = new Set([...lists, ...updates].flatMap(({ fault }) => Object.keys(fault)));
  expect(Object.keys(routesOfFault).filter((name) => !shown.has(name))).toEqual([]);
});
