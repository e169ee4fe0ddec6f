// The cost of 1,000 policies of 40 namespaces on one cluster connection: the same counts as with one namespace (scale.nightly.ts).
import { expect, it } from 'vitest';

import { startAlertsService } from '../../src/service/server.ts';
import { createFleet, fleetPolicies, fleetSeed, type FleetShape } from '../support/builders/fleet.ts';
import { countsSince, readApiServerCounts } from '../support/checks/api-server-counts.ts';
import { openKubeRequests } from '../support/rigs/kube-requests.ts';
import { managerValues, startQuietManager } from '../support/rigs/quiet-manager.ts';
import { serviceOptions, staticToken } from '../support/servers/alerts-service.ts';
import { describeWithOwnControlPlane, eventually } from '../support/servers/control-plane.ts';
import { startServiceProxy } from '../support/servers/service-proxy.ts';

const shape: FleetShape = {
  scopes: 200,
  policiesPerScope: 5,
  alertsPerPolicy: 1,
  driftedPerPolicy: 1,
  incidentsPerAlert: 1,
  interval: '5s',
  namespaces: 40,
};

describeWithOwnControlPlane('a thousand policies of forty namespaces on one cluster connection', (controlPlane) => {
  it('take one list a scope, one PATCH an alert and one status a policy, and no request more', async ({
    onTestFinished,
  }) => {
    const keep = <T extends { stop(): Promise<unknown> }>(thing: T): T => {
      onTestFinished(() => void thing.stop());
      return thing;
    };
    const requests = keep(openKubeRequests(controlPlane));
    const service = keep(await startAlertsService(serviceOptions({ seed: fleetSeed(shape) })));
    const proxy = keep(await startServiceProxy(() => service.url));
    const namespace = await controlPlane.newNamespace();
    await createFleet(requests, { namespace, serviceURL: proxy.url, token: staticToken }, shape);
    const before = await readApiServerCounts(controlPlane);
    const written = async () => countsSince(before, await readApiServerCounts(controlPlane));

    keep(await startQuietManager({ ...managerValues(controlPlane.kubeconfigPath, namespace), watchNamespaces: [] }));
    await eventually('a status and an event for every policy', async () => {
      const { policyStatusWrites, eventsCreated } = await written();
      return policyStatusWrites >= 1000 && eventsCreated >= 1000 ? true : undefined;
    });
    const kinds = Map.groupBy(proxy.requests, ({ scope }) => scope);
    const sequences = [...kinds.values()].map((sent) => sent.slice(0, 7).map(({ kind }) => kind));
    expect(new Set(sequences.map((sequence) => sequence.join(' ')))).toEqual(
      new Set([`list ${'patch '.repeat(5)}list`]),
    );
    await eventually('the second round begins', () => (proxy.count('list') > 400 ? true : undefined));
    const settled = await written();
    expect(settled).toMatchObject({ policyStatusWrites: 1000, eventsCreated: 1000 });
    await eventually('two more lists of every scope', () =>
      fleetPolicies(shape).every(({ scope }) => proxy.count('list', scope) >= 4) ? true : undefined,
    );
    expect(proxy.count('patch')).toBe(1000);
    expect(proxy.count('page') + proxy.count('token')).toBe(0);
    expect(await written()).toEqual(settled);
  });
});
