// What 1,000 policies cost, counted on both sides: requests to the service in a proxy, writes by the API server itself,
// sockets in a passage in front of it. The API server counts for all who use it, so this one is the test's own.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import { startController, type RunningController } from '../../src/cli/wiring/assemble.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startAlertsService } from '../../src/service/service.ts';
import { serviceOptions, staticToken } from '../support/alerts-service.ts';
import { countsSince, readApiServerCounts } from '../support/api-server-counts.ts';
import { describeWithControlPlane, eventually, startOwnControlPlane } from '../support/control-plane.ts';
import { createFleet, fleetPolicies, fleetSeed, type FleetShape } from '../support/fleet.ts';
import { openKubeRequests } from '../support/kube-requests.ts';
import { startServiceProxy, type ServiceProxy } from '../support/service-proxy.ts';
import { startSocketTap } from '../support/socket-tap.ts';

const shape: FleetShape = {
  scopes: 100,
  policiesPerScope: 10,
  alertsPerPolicy: 1,
  driftedPerPolicy: 1,
  incidentsPerAlert: 1,
  interval: '5s',
};

describeWithControlPlane('a thousand policies', () => {
  let plane: Awaited<ReturnType<typeof startOwnControlPlane>>;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    plane = await startOwnControlPlane();
    await plane.applyCrds();
  });

  afterAll(() => plane.stop());

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('are corrected with one list, one PATCH an alert and one proof a scope, over a few sockets, and then only looked at', async () => {
    const requests = keep(openKubeRequests(plane));
    const service = keep(await startAlertsService(serviceOptions({ seed: fleetSeed(shape) })));
    const proxy = keep(await startServiceProxy(() => service.url));
    const tap = keep(await startSocketTap(Number(new URL(plane.url).port)));
    const namespace = await plane.newNamespace();
    await createFleet(requests, { namespace, serviceURL: proxy.url, token: staticToken }, shape);
    const before = await readApiServerCounts(plane);
    const written = async () => countsSince(before, await readApiServerCounts(plane));

    keep(await startOperator(await kubeconfigThrough(tap.port), namespace));
    await eventually('a status and an event for every policy', async () => {
      const { policyStatusWrites, eventsCreated } = await written();
      return policyStatusWrites >= 1000 && eventsCreated >= 1000 ? true : undefined;
    });

    expect(new Set(proxy.requests.map(({ scope }) => scope)).size).toBe(100);
    expect(correctionsOfScopes(proxy)).toEqual([`list ${'patch '.repeat(10)}list`]);
    await eventually('the second round begins', () => (proxy.count('list') > 200 ? true : undefined));
    const settled = await written();
    expect(settled).toMatchObject({ policyStatusWrites: 1000, eventsCreated: 1000 });
    expect(tap.connections).toBeLessThanOrEqual(10);

    await eventually('two more looks at every scope', () =>
      fleetPolicies(shape).every(({ scope }) => proxy.count('list', scope) >= 4) ? true : undefined,
    );
    expect(proxy.count('patch')).toBe(1000);
    expect(proxy.count('page') + proxy.count('token')).toBe(0);
    expect(await written()).toEqual(settled);
    expect(tap.connections).toBeLessThanOrEqual(10);
  });

  function keep<T extends { stop(): Promise<unknown> }>(thing: T): T {
    cleanUps.push(() => thing.stop());
    return thing;
  }

  async function kubeconfigThrough(port: number): Promise<string> {
    const path = join(plane.scratchDirectory, 'kubeconfig-through-tap');
    const text = await readFile(plane.kubeconfigPath, 'utf8');
    await writeFile(path, text.replaceAll(plane.url, `https://127.0.0.1:${port}`));
    return path;
  }
});

function startOperator(kubeconfig: string, namespace: string): Promise<RunningController> {
  return startController(
    {
      kubeconfig,
      watchNamespaces: [namespace],
      readOnly: false,
      connectionSelector: undefined,
      leaderElect: false,
      leaderElectionId: 'rolealerts',
      leaderElectionNamespace: namespace,
      interval: 3_600_000,
      allowHttp: true,
      allowPrivateEndpoints: true,
      metricsBindAddress: undefined,
      healthProbeBindAddress: undefined,
      logLevel: 'info',
      logFormat: 'json',
    },
    {
      environment: {},
      reportingInstance: 'rolealerts-test',
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    },
  );
}

/** What each scope took until its proof was there, in order; scopes that took the same are told once. */
function correctionsOfScopes(proxy: ServiceProxy): string[] {
  const requestsEach = 2 + shape.policiesPerScope;
  const kinds = Map.groupBy(proxy.requests, ({ scope }) => scope);
  const told = [...kinds.values()].map((requests) =>
    requests
      .slice(0, requestsEach)
      .map(({ kind }) => kind)
      .join(' '),
  );
  return [...new Set(told)];
}
