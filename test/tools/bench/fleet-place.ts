// The place of one measurement: a namespace with a fleet of policies, and an alerts service of its own behind a tap.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createFleet, describeFleet, fleetPolicies, fleetSeed, type FleetShape } from '../../support/builders/fleet.ts';
import type { KubeRequests } from '../../support/rigs/kube-requests.ts';
import { startSocketTap, type SocketTap } from '../../support/servers/socket-tap.ts';
import { type Program, startProgram, waitFor } from './programs.ts';
import type { Setup } from './setup.ts';

export const serviceToken = 'token-of-the-bench';

interface RunningService extends Program {
  readonly url: string;
  /** Successful requests, by method. */
  readonly answered: { readonly GET: number; readonly PATCH: number };
}

export interface FleetPlace {
  readonly namespace: string;
  readonly shape: FleetShape;
  readonly policies: ReturnType<typeof fleetPolicies>;
  readonly service: RunningService;
  /** Between the operator and the service. */
  readonly tap: SocketTap;
  /** Deletes the fleet and stops the service. */
  stop(): Promise<void>;
}

export async function openFleetPlace(setup: Setup, namespace: string, shape: FleetShape): Promise<FleetPlace> {
  setup.announce(`${namespace}: ${describeFleet(shape)}`);
  const service = await startService(setup, namespace, shape);
  const tap = await startSocketTap(Number(new URL(service.url).port));
  const fleet = await placeFleet(setup, namespace, `http://127.0.0.1:${tap.port}`, shape);
  return {
    namespace,
    shape,
    policies: fleetPolicies(shape),
    service,
    tap,
    async stop() {
      await fleet.remove();
      await tap.stop();
      await service.stop();
    },
  };
}

/** The service of this checkout, whichever side is measured, with the alerts of a fleet. */
async function startService(setup: Setup, name: string, shape: FleetShape): Promise<RunningService> {
  const seedFile = join(setup.directory, `${name}-seed.json`);
  await writeFile(seedFile, JSON.stringify(fleetSeed(shape)));
  const answered = { GET: 0, PATCH: 0 };
  const count = (line: string) => {
    const { msg, method, status } = JSON.parse(line) as { msg?: string; method?: 'GET' | 'PATCH'; status?: number };
    if (msg === 'request answered' && method !== undefined && (status ?? 500) < 300) answered[method] += 1;
  };
  const { promise, resolve } = Promise.withResolvers<string>();
  const [{ operatorFile }] = setup.sides;
  const program = startProgram({
    // Without its rate limit, because a 429 would make the operator list and write twice.
    args: [
      operatorFile,
      'serve',
      '--rate-limit=0',
      '--seed',
      seedFile,
      '--static-token',
      serviceToken,
      '--log-format=json',
    ],
    onLine: resolve,
    onLogLine: count,
    logPath: join(setup.directory, `${name}-service.log`),
  });
  return { ...program, url: await promise, answered };
}

/** A namespace with a fleet in it; `remove` deletes its policies and connections. */
async function placeFleet(
  { requests }: Setup,
  namespace: string,
  serviceURL: string,
  shape: FleetShape,
): Promise<{ remove(): Promise<void> }> {
  await requests.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await createFleet(requests, { namespace, serviceURL, token: serviceToken }, shape);
  const group = '/apis/rolealerts.dev/v1alpha1';
  return {
    async remove() {
      await deleteAll(requests, `${group}/namespaces/${namespace}/rolealertpolicies`);
      await deleteAll(requests, `${group}/namespaces/${namespace}/rolealertconnections`);
    },
  };
}

/** In portions, because the API server needs longer for thousands of objects than a request may take. */
async function deleteAll(requests: KubeRequests, collection: string): Promise<void> {
  await waitFor('an empty collection', { withinMs: 300_000, everyMs: 10 }, async () => {
    const { body } = await requests.send('GET', `${collection}?limit=1`);
    if ((body as { readonly items?: readonly object[] }).items?.length === 0) return true;
    await requests.send('DELETE', `${collection}?limit=500`);
    return undefined;
  });
}
