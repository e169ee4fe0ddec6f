// The set-up that the cases of the alerts service share: one seed, the requests they start from, and services that end with them.
import { afterAll, inject, onTestFinished } from 'vitest';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { startAlertsService } from '../../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import {
  apiVersion,
  listPath,
  sendOverSocket,
  serviceOptions,
  startOverSocket,
  type Sent,
  type ServiceUnderTest,
} from './alerts-service.ts';
import { newSchema } from './postgres.ts';

const alert = (name: string, isActive = true) => ({ name, properties: { isActive } });

export const seed = {
  scopes: {
    'subscriptions/one': { value: [alert('A'), alert('B', false), alert('C'), alert('D'), alert('E')] },
    'subscriptions/two words/resourceGroups/x(1)': { value: [alert('A')] },
    'subscriptions/one/providers/Vendor.Compute/machines/m': { value: [alert('Nested')] },
    'subscriptions/empty': { value: [] },
  },
};

export const listOne = `/subscriptions/one${listPath}?${apiVersion}`;
export const alertA = `/subscriptions/one${listPath}/A?${apiVersion}`;
export const json = { 'content-type': 'application/json' };

/** Deactivates A of `subscriptions/one`, which is active in the seed. */
export const turnOff = {
  method: 'PATCH',
  target: alertA,
  headers: json,
  body: '{"properties":{"isActive":false}}',
} as const satisfies Sent;

/** Starts a service for the running test, with the seed unless the options say otherwise. */
export async function startService(options: Partial<AlertsServiceOptions> = {}): Promise<ServiceUnderTest> {
  const service = await startOverSocket({ seed, ...(await stateOfTier()), ...options });
  onTestFinished(() => service.stop());
  return service;
}

/** The tier `database` runs cases of the tier `contract` on its PostgreSQL. */
export async function stateOfTier(): Promise<Pick<AlertsServiceOptions, 'databaseURL'>> {
  const postgres = inject('postgres');
  if (postgres === undefined || !('port' in postgres)) return {};
  return { databaseURL: new SecretText(await newSchema(postgres)) };
}

/** One of these for all cases of a block, which leave it as it was. It is started by the first of them, and stopped after the last. */
export function shareOne<T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  // Mutation testing runs each case with the hooks of its block.
  afterAll(async () => {
    const ended = running;
    running = undefined;
    await (await ended)?.stop();
  });
  return () => (running ??= start());
}

export const sharedService = (options: Partial<AlertsServiceOptions> = {}): (() => Promise<ServiceUnderTest>) =>
  shareOne(() => startOverSocket({ seed, ...options }));

/** What `start` starts ends with the running test. */
export function endingWithTest<Args extends readonly unknown[], T extends { stop(): Promise<unknown> }>(
  start: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    const running = await start(...args);
    onTestFinished(async () => void (await running.stop()));
    return running;
  };
}

/** With an admin port, whose responses are not part of the description; `ask` sends to it without a token. The caller stops it. */
export async function startWithAdmin(options: Partial<AlertsServiceOptions> = {}) {
  const admin = { listen: { host: '127.0.0.1', port: 0 } };
  const service = await startAlertsService(serviceOptions({ seed, admin, ...options }));
  const ask = (method: string, target: string, { headers = {}, ...rest }: Partial<Sent> = {}) => {
    const sent = { method, target, headers: { authorization: '', ...headers }, ...rest };
    return sendOverSocket(service.adminURL ?? '', sent, () => []);
  };
  const send = (sent: Sent) => sendOverSocket(service.url, { ...sent, expectsFault: true });
  return { ...service, ask, send };
}
