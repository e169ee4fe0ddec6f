// The claims that a plan considers: the work that policies of other connections cause, and that leaving some out decides nothing else.
import { describe, expect, it, vi } from 'vitest';

import { ClaimIndex } from '../../../src/plan/claim-index.ts';
import type { PolicyInput } from '../../../src/plan/plan-input.ts';
import { plan, planActions } from '../../../src/plan/plan.ts';
import { severityRank } from '../../../src/policy/severity.ts';
import { active, alert, alertName, inactive, input, planInput } from '../../support/builders/objects.ts';

const guarding = { unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
const alerts = (count: number) =>
  Array.from({ length: count }, (_, index) => alert({ name: `A${index}`, isActive: false }));

/** Policies of other connections, with the number of times that a plan reads their specs. */
function others(count: number, spec: PolicyInput['policy']['spec'] | object) {
  let reads = 0;
  const inputs = Array.from({ length: count }, (_, index) => {
    const given = input({ name: `p${index}`, isOwn: false, spec });
    const { policy } = given;
    const counted = {
      ...policy,
      get spec() {
        reads++;
        return policy.spec;
      },
    };
    return { ...given, policy: counted, connection: `n${index % 7}/prod`, standing: 'Proven' as const };
  });
  return { inputs, reads: () => reads };
}

function readsFor(spec: object, liveAlerts: number): number {
  const { inputs, reads } = others(1000, spec);
  plan(planInput({ policies: [input(), ...inputs], alerts: alerts(liveAlerts) }));
  return reads();
}

describe('the work of a plan for a thousand policies of other connections', () => {
  it.each([
    ['declare one alert each', { alerts: [{ ...active, name: 'A1' }] }],
    ['guard every alert', { ...guarding, alerts: [] }],
  ])('that %s hardly grows with the alerts of the service', (_, spec) => {
    expect(readsFor(spec, 400)).toBeLessThan(readsFor(spec, 4) * 1.5);
  });
});

it('a check of one alert compares no names of another length that other connections declare', () => {
  const declared = Array.from({ length: 64 }, (_, index) => ({ ...active, name: 'A'.repeat(index + 1) }));
  const policies = [input(), ...others(100, { alerts: declared }).inputs];
  const one = planInput({ policies, alerts: [alert({ name: 'a'.repeat(10) })] });
  const lowered = vi.spyOn(String.prototype, 'toLowerCase');
  planActions(one);
  const { length } = lowered.mock.calls;
  lowered.mockRestore();
  expect(length).toBeLessThan(200);
});

it('of two entries of another policy for one alert, the last one counts', () => {
  const twice = [inactive({ until: '2026-06-02T00:00:00Z' }), { ...active, name: alertName.toUpperCase() }];
  const policies = [input({ spec: { alerts: [] } }), ...others(1, { alerts: twice }).inputs];
  const index = new ClaimIndex(planInput({ policies, alerts: [alert()] }));
  const claims = index.claimsOn(alertName.toLowerCase(), alert());
  expect(claims.filter((claim) => !claim.input.isOwn).map(({ want }) => want.state)).toEqual(['Active']);
});

describe('the owner of an alert', () => {
  const at = (year: number) => `${year}-01-01T00:00:00Z`;
  const other = (name: string, change: object) =>
    ({ ...input({ name, isOwn: false, ...change }), connection: `${name}/prod`, standing: 'Proven' }) as PolicyInput;
  const guard = (name: string, year: number, change: object = {}) =>
    other(name, { createdAt: at(year), spec: { ...guarding, alerts: [] }, ...change });
  const own = input({ spec: { alerts: [inactive({ until: '2026-06-02T00:00:00Z' })] } });
  const ownerOf = (...policies: readonly PolicyInput[]) =>
    plan(planInput({ policies: [own, ...policies], alerts: [alert()] })).policies[0]?.alerts[0]?.ownerKey;

  it('is the oldest of many guards', () => {
    expect(ownerOf(guard('young', 2026), guard('old', 2020), guard('middle', 2023))).toBe('team/old');
  });

  it('is a younger guard when the connection of the oldest one cannot act', () => {
    expect(ownerOf(guard('old', 2020), { ...guard('away', 2019), canAct: false })).toBe('team/old');
  });

  it('is a younger guard when the oldest one guards only graver alerts', () => {
    const severe = { spec: { unlisted: { state: 'Active', minSeverity: 'High' }, alerts: [] } };
    const low = alert({ severity: 'Low' });
    const policies = [own, guard('old', 2019, severe), guard('young', 2024)];
    expect(severityRank(low.severity)).toBe(0);
    expect(plan(planInput({ policies, alerts: [low] })).policies[0]?.alerts[0]?.ownerKey).toBe('team/young');
  });

  it('is a younger guard when the connection of the oldest one dismisses the alert', () => {
    const declares = other('both', { createdAt: at(2019), spec: { ...guarding, ...own.policy.spec } });
    const sibling = { ...guard('sibling', 2020), connection: 'both/prod' };
    expect(alertName).toBe(own.policy.spec.alerts?.[0]?.name);
    expect(ownerOf(declares, sibling, guard('young', 2024))).toBe('team/young');
  });
});
