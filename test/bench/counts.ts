// The requests for 1,000 policies on 100 scopes until they are corrected, and while nothing drifts.
import type { FleetShape } from '../support/builders/fleet.ts';
import { countsSince, readApiServerCounts } from '../support/checks/api-server-counts.ts';
import { startServiceProxy } from '../support/servers/service-proxy.ts';
import { startSocketTap } from '../support/servers/socket-tap.ts';
import { placeFleet, startService } from './fleet-place.ts';
import { startOperator } from './operator.ts';
import type { Setup } from './setup.ts';
import { countRow, limitRow, renderRows, wrongRows, type Findings } from './table.ts';
import { waitFor } from './wait.ts';

const shape: FleetShape = {
  scopes: 100,
  policiesPerScope: 10,
  alertsPerPolicy: 1,
  driftedPerPolicy: 1,
  incidentsPerAlert: 1,
};
const policies = shape.scopes * shape.policiesPerScope;

/** Longer than the first round, so that the second begins after the first was counted. */
const interval = '20s';

export async function measureCounts(setup: Setup): Promise<Findings> {
  await setup.applyCrds(setup.sides[0]);
  const service = await startService(setup, 'counts', shape);
  const proxy = await startServiceProxy(() => service.url);
  const tap = await startSocketTap(Number(new URL(setup.controlPlane.url).port));
  const fleet = await placeFleet(setup, 'counts', proxy.url, shape);
  const before = await readApiServerCounts(setup.controlPlane);
  const written = async () => countsSince(before, await readApiServerCounts(setup.controlPlane));
  const operator = await startOperator(setup, setup.sides[0], 'counts', { apiServerPort: tap.port, interval });
  try {
    await waitFor('every policy has its event', { withinMs: 60_000, everyMs: 100 }, async () => {
      const { policyStatusWrites, eventsCreated } = await written();
      return policyStatusWrites >= policies && eventsCreated >= policies ? true : undefined;
    });
    const first = { ...(await written()), lists: proxy.count('list'), patches: proxy.count('patch') };
    await waitFor('two more rounds', { withinMs: 120_000, everyMs: 10 }, () =>
      proxy.count('list') >= 4 * shape.scopes ? true : undefined,
    );
    const idle = countsSince(first, await written());
    const rows = [
      countRow('LISTs until corrected', first.lists, 2 * shape.scopes),
      countRow('further pages', proxy.count('page'), 0),
      countRow('PATCHes', first.patches, policies),
      countRow('policy status writes', first.policyStatusWrites, policies),
      countRow('events', first.eventsCreated, policies),
      limitRow('connections to the API server', tap.connections, 10),
      countRow('idle: LISTs', proxy.count('list') - first.lists, 2 * shape.scopes),
      countRow('idle: PATCHes', proxy.count('patch') - first.patches, 0),
      countRow('idle: policy status writes', idle.policyStatusWrites, 0),
      countRow('idle: connection status writes', idle.connectionStatusWrites, 0),
      countRow('idle: events', idle.eventsCreated, 0),
    ];
    const title = '1,000 policies on 100 scopes, every one drifted; then two intervals without drift';
    return { text: renderRows(title, rows), wrong: wrongRows(rows) };
  } finally {
    await operator.stop();
    await fleet.remove();
    await tap.stop();
    await proxy.stop();
    await service.stop();
  }
}
