// `rolealerts status --show budget` against the operator: both say the same of every connection.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { budgetSection, budgetsOf } from '../../../../src/commands/report/budget.ts';
import { conditionOf } from '../../../../src/operator/reasons/conditions.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { alert, at, connection, intervalMs, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ControllerWorld } from '../../../support/rigs/controller-world.ts';

const anySpec: fc.Arbitrary<Partial<RoleAlertPolicy['spec']>> = fc.record(
  {
    scope: fc.constantFrom('subscriptions/a', 'Subscriptions/A', 'subscriptions/b', 'subscriptions/c'),
    interval: fc.constantFrom('5s', '1m', '7m', '15m', '1h30m', '24h'),
    suspend: fc.boolean(),
    suspendUntil: fc.constant(at(300 * 24 * 60 * minuteMs)),
    mode: fc.constantFrom('Enforce', 'Observe'),
  },
  { requiredKeys: ['scope'] },
);
const anyLimits = fc.record({
  requestsPerHour: fc.constantFrom(1, 7, 60, 3600),
  burst: fc.integer({ min: 2, max: 20 }),
  minInterval: fc.constantFrom('5s', '1m', '10m'),
});

test('the budget of a connection is what its status says about its capacity', async () => {
  const seen = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(fc.array(anySpec, { minLength: 1, maxLength: 6 }), anyLimits, async (specs, change) => {
      const limits = { ...connection().spec.limits, ...change };
      const policies = specs.map((spec, index) => policy({ name: `p${index}`, spec }));
      const world = new ControllerWorld();
      for (const scope of ['a', 'b', 'c']) world.live.set(`subscriptions/${scope}`, [alert()]);
      world.apply(connection({ limits }));
      world.apply(...policies);
      await world.start(minuteMs);
      const { status } = world.connections.get('team/prod') ?? {};
      await world.controller.stop(0);

      const connections = [connection({ limits })];
      const input = { policies, connections, defaultMs: intervalMs, isWhole: true };
      const [budget] = budgetsOf(input);
      expect(budget?.capacity.facts.needed).toBe(status?.predictedRequestsPerHour ?? 0);
      const said = conditionOf(status, 'Capacity');
      // Without a list the operator does not know whether the connection works, and says nothing.
      if (budget === undefined || said?.status === 'Unknown') return;
      expect(budgetSection(input).rows[0]?.cells.at(-1)).toBe(said?.message);
      expect(budget.capacity.status).toBe(said?.status);
      seen.add(said?.status);
    }),
    { numRuns: 60 },
  );
  expect(seen).toEqual(new Set(['True', 'False']));
});
