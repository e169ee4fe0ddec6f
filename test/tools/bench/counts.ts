// The requests for 1,000 policies on 100 scopes until they are corrected, and while nothing drifts.
import type { FleetShape } from '../../support/builders/fleet.ts';
import { startSocketTap } from '../../support/servers/socket-tap.ts';
import { openFleetPlace, type FleetPlace } from './fleet-place.ts';
import { openMeter, type Spent } from './meter.ts';
import { startOperator, type Operator } from './operator.ts';
import type { Setup } from './setup.ts';
import { eventsOf } from './shapes.ts';
import { countRow, limitRow, renderRows, wrongRows, type Findings } from './table.ts';

const shape: FleetShape = {
  scopes: 100,
  policiesPerScope: 10,
  alertsPerPolicy: 1,
  driftedPerPolicy: 1,
  incidentsPerAlert: 1,
};
const policies = shape.scopes * shape.policiesPerScope;

export async function measureCounts(setup: Setup): Promise<Findings> {
  await setup.applyCrds(setup.sides[0]);
  const place = await openFleetPlace(setup, 'counts', shape);
  const tap = await startSocketTap(Number(new URL(setup.controlPlane.url).port));
  try {
    const first = await spentOnFirstRound(setup, place, tap.port);
    const { connections } = tap;
    const idle = await spentOnIdleRounds(setup, place);
    const rows = [
      countRow('LISTs until corrected, pages included', first.lists, 2 * shape.scopes),
      countRow('PATCHes', first.patches, policies),
      countRow('policy status writes', first.policyStatusWrites, policies),
      countRow('events', first.eventsCreated, eventsOf(shape)),
      limitRow('connections to the API server', connections, 10),
      { name: 'idle: LISTs', value: String(idle.lists) },
      countRow('idle: PATCHes', idle.patches, 0),
      countRow('idle: policy status writes', idle.policyStatusWrites, 0),
      countRow('idle: connection status writes', idle.connectionStatusWrites, 0),
      countRow('idle: events', idle.eventsCreated, 0),
    ];
    const title = '1,000 policies on 100 scopes, every one drifted; then two intervals without drift';
    return { text: renderRows(title, rows), wrong: wrongRows(rows) };
  } finally {
    await tap.stop();
    await place.stop();
  }
}

async function spentOnFirstRound(setup: Setup, place: FleetPlace, apiServerPort: number): Promise<Spent> {
  const meter = await openMeter(setup, place);
  const operator = await startOperator(setup, setup.sides[0], 'counts', { apiServerPort });
  try {
    return await meter.untilAtRest(operator, () => place.service.answered.PATCH >= policies);
  } finally {
    await operator.stop();
  }
}

/**
 * Another operator, because its short interval would let the second round overlap with a slow first round. It writes every status once, for
 * the new interval, before the two rounds that count.
 */
async function spentOnIdleRounds(setup: Setup, place: FleetPlace): Promise<Spent> {
  const { answered } = place.service;
  const untilListed = async (operator: Operator, rounds: number) => {
    const wanted = answered.GET + rounds * shape.scopes;
    const meter = await openMeter(setup, place);
    return meter.untilAtRest(operator, () => answered.GET >= wanted);
  };
  const operator = await startOperator(setup, setup.sides[0], 'counts-idle', { interval: '20s' });
  try {
    await untilListed(operator, 1);
    return await untilListed(operator, 2);
  } finally {
    await operator.stop();
  }
}
