// What a plan costs when the service lists more alerts than any service has: an answer is written by whoever runs the host.
import { expect, test, vi } from 'vitest';

import { plan } from '../../../src/plan/plan.ts';
import { alert, input, planInput, policy } from '../../support/plan-input.ts';

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
