// `rolealerts budget` against the operator: both say the same of every connection.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { budgetText } from '../../../../src/commands/report/budget-text.ts';
import { budgetsOf } from '../../../../src/commands/report/budget.ts';
import { conditionOf } from '../../../../src/operator/reasons/conditions.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { alert, at, connection, intervalMs, minuteMs, policy } from '../../../support/builders/objects.ts';
import { FakeWorld } from '../../../support/rigs/fake-world.ts';

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
  burst: fc.integer({ min: 1, max: 20 }),
  minInterval: fc.constantFrom('5s', '1m', '10m'),
});

test('the budget of a connection is what its status says about its capacity', async () => {
  const seen = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySpec, { minLength: 1, maxLength: 6 }),
      anyLimits,
      fc.integer({ min: 1, max: 3 }),
      async (specs, change, pages) => {
        const limits = { ...connection().spec.limits, ...change };
        const policies = specs.map((spec, index) => policy({ name: `p${index}`, spec }));
        const world = new FakeWorld();
        world.pagesOf = () => pages;
        for (const scope of ['a', 'b', 'c']) world.live.set(`subscriptions/${scope}`, [alert()]);
        world.apply(connection({ limits }));
        for (const each of policies) world.apply(each);
        world.controller.start();
        await world.clock.advance(minuteMs);
        const { status } = world.connections.get('team/prod') ?? {};
        await world.controller.stop(0);

        const connections = [connection({ limits })];
        // A suspended scope was never listed, so the operator counts one page for it.
        const isListed = specs.every(({ suspend }) => suspend !== true);
        fc.pre(isListed || pages === 1);
        const [budget] = budgetsOf({ policies, connections, defaultMs: intervalMs, pages });
        expect(budget?.now.capacity.facts.needed).toBe(status?.predictedRequestsPerHour ?? 0);
        const said = conditionOf(status, 'Capacity');
        // Without a list the operator does not know whether the connection works, and says nothing.
        if (budget === undefined || said?.status === 'Unknown') return;
        expect(budgetText([budget], 0)).toContain(`. ${said?.message}\n`);
        expect(budget.now.capacity.status).toBe(said?.status);
        seen.add(said?.status);
      },
    ),
    { numRuns: 60 },
  );
  expect(seen).toEqual(new Set(['True', 'False']));
});
