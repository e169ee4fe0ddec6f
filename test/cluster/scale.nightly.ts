// The cost of 1,000 policies, counted on both sides: requests to the service in a proxy, writes by the API server itself,
// sockets in a proxy in front of it. The API server counts for all of its clients, so the test has its own.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

import type { RunningManager } from '../../src/operator/manager/manager.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { createFleet, fleetConnection, fleetPolicies, fleetSeed, type FleetShape } from '../support/builders/fleet.ts';
import { countsSince, readApiServerCounts } from '../support/checks/api-server-counts.ts';
import { type KubeRequests, openKubeRequests } from '../support/rigs/kube-requests.ts';
import { managerValues, startQuietManager } from '../support/rigs/quiet-manager.ts';
import { serviceOptions, staticToken } from '../support/servers/alerts-service.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';
import { startServiceProxy, type ServiceProxy } from '../support/servers/service-proxy.ts';
import { startSocketTap } from '../support/servers/socket-tap.ts';

const shape: FleetShape = {
  scopes: 100,
  policiesPerScope: 10,
  alertsPerPolicy: 1,
  driftedPerPolicy: 1,
  incidentsPerAlert: 1,
  interval: '5s',
};

const groupVersion = 'rolealerts.dev/v1alpha1';

describeWithOwnControlPlane('a thousand policies', (controlPlane) => {
  let requests: KubeRequests;
  let service: Awaited<ReturnType<typeof startAlertsService>>;
  let proxy: ServiceProxy;
  let namespace: string;
  const ownCleanUps: (() => Promise<unknown>)[] = [];
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    requests = keepForAll(openKubeRequests(controlPlane));
    service = keepForAll(await startAlertsService(serviceOptions({ seed: fleetSeed(shape) })));
    proxy = keepForAll(await startServiceProxy(() => service.url));
    namespace = await controlPlane.newNamespace();
    await createFleet(requests, { namespace, serviceURL: proxy.url, token: staticToken }, shape);
  });

  afterAll(async () => {
    for (const cleanUp of ownCleanUps.splice(0).reverse()) await cleanUp();
  });

  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('are corrected with one list, one PATCH an alert and one proof a scope, over a few sockets, and then only listed', async () => {
    const tap = keep(await startSocketTap(Number(new URL(controlPlane.url).port)));
    const before = await readApiServerCounts(controlPlane);
    const written = async () => countsSince(before, await readApiServerCounts(controlPlane));

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

    await eventually('two more lists of every scope', () =>
      fleetPolicies(shape).every(({ scope }) => proxy.count('list', scope) >= 4) ? true : undefined,
    );
    expect(proxy.count('patch')).toBe(1000);
    expect(proxy.count('page') + proxy.count('token')).toBe(0);
    expect(await written()).toEqual(settled);
    expect(tap.connections).toBeLessThanOrEqual(10);
  });

  it('are reconciled within the rate limit after a restart, and one that is edited meanwhile does not wait for the others', async () => {
    const resources = `/apis/${groupVersion}/namespaces/${namespace}`;
    const limits = { requestsPerHour: 3600, burst: 20 };
    await requests.send('PATCH', `${resources}/rolealertconnections/${fleetConnection}`, { spec: { limits } });
    proxy.requests.length = 0;
    const startMs = performance.now();
    keep(await startOperator(controlPlane.kubeconfigPath, namespace));
    await eventually('the first lists', () => (proxy.count('list') >= 5 ? true : undefined));
    const seen = new Set(proxy.requests.map(({ scope }) => scope));
    const edited = fleetPolicies(shape).findLast(({ scope }) => !seen.has(scope));
    if (!edited) throw new Error('every scope was listed already');
    const { name, scope, alerts } = edited;
    const who = { by: 'canary.person@people.example', byType: 'User' } as const;
    expect(await service.alerts.setActive(scope, alerts[0] ?? '', false, who)).toBe(true);
    const path = `${resources}/rolealertpolicies/${name}`;
    const sentBefore = proxy.requests.length;
    await requests.send('PATCH', path, { spec: { interval: '10s' } });
    await eventually('the edit is served', async () => {
      const status = (await requests.send('GET', path)).body?.status as { observedGeneration?: number } | undefined;
      return status?.observedGeneration === 2 ? true : undefined;
    });
    const after = proxy.requests.slice(sentBefore);
    const kinds = after.filter((request) => request.scope === scope).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'patch')).toHaveLength(1);
    expect(kinds.slice(0, 2)).toEqual(['list', 'patch']);
    // More than ninety others were there before it; how many of them went first is a matter of the rate limiter's second. What came after
    // the PATCH says only how late this test read the status.
    const before = after.slice(
      0,
      after.findIndex((request) => request.scope === scope && request.kind === 'patch'),
    );
    expect(before.filter((request) => request.scope !== scope).length).toBeLessThan(30);
    const sent = proxy.requests.length;
    expect(sent).toBeLessThanOrEqual(limits.burst / 2 + (performance.now() - startMs) / 1000);
  });

  function keep<T extends { stop(): Promise<unknown> }>(thing: T): T {
    cleanUps.push(() => thing.stop());
    return thing;
  }

  function keepForAll<T extends { stop(): Promise<unknown> }>(thing: T): T {
    ownCleanUps.push(() => thing.stop());
    return thing;
  }

  async function kubeconfigThrough(port: number): Promise<string> {
    const path = join(controlPlane.scratchDirectory, 'kubeconfig-through-tap');
    const text = await readFile(controlPlane.kubeconfigPath, 'utf8');
    await writeFile(path, text.replaceAll(controlPlane.url, `https://127.0.0.1:${port}`));
    return path;
  }
});

function startOperator(kubeconfig: string, namespace: string): Promise<RunningManager> {
  return startQuietManager(managerValues(kubeconfig, namespace));
}

/** What each scope took until its proof was there, in order; scopes with the same sequence appear once. */
function correctionsOfScopes(proxy: ServiceProxy): string[] {
  const requestsEach = 2 + shape.policiesPerScope;
  const kinds = Map.groupBy(proxy.requests, ({ scope }) => scope);
  const sequences = [...kinds.values()].map((requests) =>
    requests
      .slice(0, requestsEach)
      .map(({ kind }) => kind)
      .join(' '),
  );
  return [...new Set(sequences)];
}
