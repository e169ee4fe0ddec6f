// The set-up that the contract cases of the alerts service share: one seed, the requests they start from, and a frame
// that runs every case.
import { afterAll, afterEach, describe, inject } from 'vitest';

import { SecretText } from '../../../src/lib/secret-text.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import {
  apiVersion,
  listPath,
  startOverSocket,
  type StartService,
  type Sent,
  type ServiceUnderTest,
} from './alerts-service.ts';
import { newSchema, type PostgresAccess } from './postgres.ts';

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

/** Starts a service for one case, with the seed unless the options say otherwise. It is stopped after the case. */
export type Started = (options?: Partial<AlertsServiceOptions>) => Promise<ServiceUnderTest>;

/** The tier `database` has a PostgreSQL, and runs the same cases on it. */
function wayOfTier(): readonly [string, StartService] {
  const postgres = inject('postgres');
  if (postgres !== undefined && 'port' in postgres) return ['on PostgreSQL', startOnPostgres(postgres)];
  return ['on SQLite', startOverSocket];
}

/** Each service gets an empty schema, and services with the same data file share one. */
function startOnPostgres(postgres: PostgresAccess): StartService {
  const schemas = new Map<string | undefined, Promise<string>>();
  return async ({ dataFile, ...options } = {}) => {
    const known = dataFile === undefined ? undefined : schemas.get(dataFile);
    const schema = known ?? newSchema(postgres);
    schemas.set(dataFile, schema);
    return startOverSocket({ ...options, databaseURL: new SecretText(await schema) });
  };
}

export function describeService(define: (started: Started) => void): void {
  const [where, start] = wayOfTier();
  describe(`the alerts service ${where}`, () => {
    const running: ServiceUnderTest[] = [];
    afterEach(async () => {
      for (const service of running.splice(0)) await service.stop();
    });
    define(async (options = {}) => {
      const service = await start({ seed, ...options });
      running.push(service);
      return service;
    });
  });
}

/** One of these for all cases of a block, which leave it as it was. It is started by the first of them, and stopped after the last. */
export function shareOne<T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  afterAll(async () => (await running)?.stop());
  return () => (running ??= start());
}

export const sharedService = (options: Partial<AlertsServiceOptions> = {}): (() => Promise<ServiceUnderTest>) =>
  shareOne(() => startOverSocket({ seed, ...options }));
