// The cost of a plan with more alerts than any service has: the host controls its responses, and a policy may declare
// any names.
import { expect, test, vi } from 'vitest';

import { plan } from '../../../src/plan/plan.ts';
import { active, alert, input, planInput, policy } from '../../support/builders/objects.ts';

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

/** How often a plan asks for the standing of so many policies that each declare 64 alerts which no service has. */
function askedStandings(count: number, isOwn: boolean): number {
  let asked = 0;
  const many = Array.from({ length: count }, (_, at) => {
    const alerts = Array.from({ length: 64 }, (_each, of) => ({ name: `no-${at}-${of}`, state: 'Active' as const }));
    const { standing, ...facts } = input({ name: `owners-${at}`, isOwn, spec: { alerts } });
    return {
      ...facts,
      get standing() {
        asked++;
        return standing;
      },
    };
  });
  plan(planInput({ policies: [input({ spec: { alerts: [active] } }), ...many] }));
  return asked;
}

test.each([['own', true] as const, ['other connections’', false] as const])(
  'grows with the number of %s policies, not with its square',
  (_, isOwn) => {
    expect(askedStandings(100, isOwn)).toBeLessThanOrEqual(askedStandings(10, isOwn) * 15);
  },
);
