// The alerts service for tests, over a loopback socket. Every response is validated against the OpenAPI description.
import { Client } from 'undici';

import type { Clock } from '../../../src/lib/clock.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { SecretText, systemSecrets } from '../../../src/lib/secret-text.ts';
import type { ServiceResponse } from '../../../src/service/http/message.ts';
import { newRequestID, requestIDHeader } from '../../../src/service/http/request-id.ts';
import { startAlertsService, type RunningAlertsService } from '../../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import { createResponseCheck, type ResponseCheck } from '../checks/openapi-check.ts';
import { openAPIDocument } from '../checks/openapi-document.ts';
import { lateMs } from '../rigs/manual-clock.ts';

export const staticToken = 'static-token-of-the-tests';
export const listPath = '/providers/Vendor.Authorization/roleManagementAlerts';
export const apiVersion = 'api-version=2022-08-01-preview';

export interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  /** A fault corrupts the response, so it is not validated. */
  readonly expectsFault?: boolean;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface ServiceUnderTest extends RunningAlertsService {
  send(sent: Sent): Promise<Received>;
  /** What requests go to; what a nextLink has to begin with. */
  readonly origin: string;
}

export function serviceOptions(options: Partial<AlertsServiceOptions> = {}): AlertsServiceOptions {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    staticToken: new SecretText(staticToken),
    clients: [{ id: 'operator', secret: new SecretText('s3cret/with:odd +chars%') }],
    clock: systemClock,
    newSecret: systemSecrets,
    log: silentLogger,
    // Its sweep would be a timer on the clock of every test.
    auditRetentionMs: 0,
    ...options,
  };
}

/** Compiled once for all tests, since nearly all of them start a service with these. */
const defaultDescription = createResponseCheck(openAPIDocument());

/** Every request carries the static token unless it names an `authorization` itself; an empty one is left out. */
function headersOf({ headers = {} }: Sent): Record<string, string> {
  const all = { authorization: `Bearer ${staticToken}`, ...headers };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** The response as the adapter sends it: it adds the id of the request. */
export function withRequestID(response: ServiceResponse): ServiceResponse {
  return { ...response, headers: { ...response.headers, [requestIDHeader]: newRequestID() } };
}

export async function startOverSocket(options?: Partial<AlertsServiceOptions>): Promise<ServiceUnderTest> {
  const service = await startAlertsService(serviceOptions(options));
  const check = descriptionOf(options);
  return { ...service, send: (sent) => sendOverSocket(service.url, sent, check), origin: service.url };
}

/** A connection of its own for every request, and the target exactly as given. */
export async function sendOverSocket(url: string, sent: Sent, check = defaultDescription): Promise<Received> {
  const client = new Client(url);
  try {
    const response = await client.request({
      method: sent.method ?? 'GET',
      path: sent.target,
      headers: headersOf(sent),
      body: sent.body === undefined ? null : bytesOf(sent),
    });
    const { statusCode: status, headers } = response;
    return held(check, sent, { status, headers, text: await response.body.text() });
  } finally {
    await client.destroy();
  }
}

/** The description of a service with these options. */
function descriptionOf({ providerNamespace, apiVersion }: Partial<AlertsServiceOptions> = {}): ResponseCheck {
  if (providerNamespace === undefined && apiVersion === undefined) return defaultDescription;
  return createResponseCheck(
    openAPIDocument({ ...(providerNamespace && { providerNamespace }), ...(apiVersion && { apiVersion }) }),
  );
}

function held(check: ResponseCheck, sent: Sent, received: Received): Received {
  const { method = 'GET', target, expectsFault = false } = sent;
  const problems = expectsFault ? [] : check({ method, target, ...received, body: received.text });
  if (problems.length === 0) return received;
  throw new Error(`${method} ${target} is not answered as described: ${problems.join('; ')}`);
}

function bytesOf({ body = '' }: Sent): Uint8Array {
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}

export function jsonOf(received: Received): unknown {
  return JSON.parse(received.text);
}

export interface ListBody {
  readonly value: readonly { name: string; properties: Record<string, unknown>; systemData?: object }[];
  readonly nextLink?: string;
}

export function listOf(received: Received): ListBody {
  return jsonOf(received) as ListBody;
}

/** `STATUS CODE` of a response with exactly the error body of section 2.8; the whole answer when it is anything else. */
export function errorOf(received: Received): string {
  const { error, ...others } = jsonOf(received) as { error?: { code?: unknown; message?: unknown } };
  const { code, message, ...rest } = error ?? {};
  const isWhole = typeof code === 'string' && /^[A-Z"].*\.$/.test(String(message));
  const isExact = Object.keys(others).length + Object.keys(rest).length === 0;
  const isJson = received.headers['content-type'] === 'application/json; charset=utf-8';
  return isWhole && isExact && isJson ? `${received.status} ${code}` : JSON.stringify(received);
}

/** A clock that moves only when the test says so, each time a fraction more. Its timers never fire. */
export function handClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): Clock & { advance(byMs: number): void } {
  let nowMs = startMs;
  return {
    now: () => Math.floor(nowMs),
    monotonic: () => nowMs,
    setTimer: () => ({ cancel: () => undefined }),
    advance: (byMs) => (nowMs += byMs + lateMs),
  };
}
