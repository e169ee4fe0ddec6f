// The cost of a plan with more alerts than any service has: the host controls its responses, and a policy may declare
// any names.
import { expect, test, vi } from 'vitest';

import { plan } from '../../../../src/operator/decide/plan.ts';
import { alert, input, planInput, policy } from '../../../support/builders/objects.ts';

/** Names that are compared for a plan over so many drifted alerts that one policy guards. */
function comparedNames(count: number): number {
  const alerts = Array.from({ length: count }, (_, at) => alert({ name: `alert-${at}`, isActive: false }));
  const guard = policy({ spec: { unlisted: { state: 'Active', minSeverity: 'Low' } } });
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  const planned = plan(planInput({ alerts, policies: [input(guard)] }));
  const { length } = lowered.mock.calls;
  lowered.mockRestore();
  expect(planned.actions).toHaveLength(count);
  return length;
}

test('grows with the number of alerts, not with its square', () => {
  expect(comparedNames(2000)).toBeLessThan(comparedNames(200) * 15);
});

/** How often a plan reads the specs of so many policies that each declare 64 alerts which no service has. */
function readSpecs(count: number): number {
  let reads = 0;
  const many = Array.from({ length: count }, (_, at) => {
    const alerts = Array.from({ length: 64 }, (_each, of) => ({ name: `no-${at}-${of}`, state: 'Active' as const }));
    const { policy: object, ...facts } = input({ name: `owners-${at}`, spec: { alerts } });
    const counted = {
      ...object,
      get spec() {
        reads++;
        return object.spec;
      },
    };
    return { ...facts, policy: counted };
  });
  plan(planInput({ policies: many }));
  return reads;
}

test('grows with the number of policies, not with its square', () => {
  expect(readSpecs(100)).toBeLessThanOrEqual(readSpecs(10) * 15);
});
