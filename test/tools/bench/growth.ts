// How the cost of a first round grows with the fleet: a column for each fleet, and the figures per policy.
import type { FleetShape } from '../../support/builders/fleet.ts';
import type { Spent } from './meter.ts';
import { describeFleet, policiesOf } from './shapes.ts';
import { renderTable } from './table.ts';

export interface Grown {
  readonly shape: FleetShape;
  readonly spent: Spent;
}

/** Of measurements with one policy a scope, in ascending order, after any others. */
export function renderGrowth(side: string, grown: readonly Grown[]): string {
  const smallest = grown.find(isSparse);
  const row = (name: string, of: (one: Grown) => string, goal = '') => [name, ...grown.map(of), goal];
  const perPolicy = (name: string, unit: string, of: (one: Grown) => number) =>
    row(name, (one) => `${(of(one) / policiesOf(one.shape)).toFixed(2)} ${unit}`);
  const growth = (name: string, of: (one: Grown) => number) =>
    row(name, (one) => {
      const kib = smallest && growthKiB(smallest, one, of);
      return kib === undefined ? '' : `${kib.toFixed(1)} KiB`;
    });
  const cpuMs = ({ spent }: Grown) => spent.cpuSeconds * 1000;
  const relative = (one: Grown) => (smallest ? cpuPerPolicy(one) / cpuPerPolicy(smallest) : NaN);
  return renderTable(`first round of ${side}`, [
    row('', ({ shape }) => describeFleet(shape), 'goal'),
    row('LISTs', ({ spent }) => String(spent.lists)),
    row('PATCHes', ({ spent }) => String(spent.patches)),
    row('policy status writes', ({ spent }) => String(spent.policyStatusWrites)),
    row('events', ({ spent }) => String(spent.eventsCreated)),
    row('wall time', ({ spent }) => `${spent.wallSeconds.toFixed(1)} s`),
    row('CPU', ({ spent }) => `${spent.cpuSeconds.toFixed(2)} s`),
    perPolicy('CPU per policy', 'ms', cpuMs),
    row('CPU per policy, to the smallest', (one) => relative(one).toFixed(2), 'linear: ≤ 1'),
    row('peak RSS', ({ spent }) => `${spent.peakMiB.toFixed(1)} MiB`),
    growth('peak RSS, growth per policy', ({ spent }) => spent.peakMiB),
    row("API server's CPU", ({ spent }) => `${spent.apiServerCpuSeconds.toFixed(2)} s`),
    perPolicy("API server's CPU per policy", 'ms', ({ spent }) => spent.apiServerCpuSeconds * 1000),
  ]);
}

function cpuPerPolicy({ spent, shape }: Grown): number {
  return spent.cpuSeconds / policiesOf(shape);
}

/** From the smallest fleet to a larger one, so that what every process takes does not count. Undefined for the smallest. */
function growthKiB(smallest: Grown, one: Grown, of: (one: Grown) => number): number | undefined {
  const policies = policiesOf(one.shape) - policiesOf(smallest.shape);
  return policies > 0 ? ((of(one) - of(smallest)) * 1024) / policies : undefined;
}

function isSparse({ shape }: Grown): boolean {
  return shape.policiesPerScope === 1;
}
