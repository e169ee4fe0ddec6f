// The ledger's room over several alerts, policies and connections in one reconcile: each new entry takes one place of this
// connection, and nothing else does.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import { alert, inactive, input, ledgerEntry, planInput } from '../../../support/builders/objects.ts';

const names = ['A', 'B', 'C'];
const dismissing = (name: string, alerts: readonly string[], change: Parameters<typeof input>[0] = {}) =>
  input({
    name,
    ...change,
    spec: {
      alerts: alerts.map((each) => ({ ...inactive({ maxIncidents: 9 }), name: each })),
    },
  });
const given = (change: Partial<PlanInput>) => planInput({ alerts: names.map((name) => alert({ name })), ...change });
const deactivated = (change: Partial<PlanInput>) => plan(given(change)).actions.map(({ alert: name }) => name);
const reasonsOf = (change: Partial<PlanInput>) =>
  plan(given(change)).policies.map(({ alerts }) => alerts.map(({ reason }) => reason ?? '-').join(' '));

describe('room', () => {
  it.each([
    [0, []],
    [1, ['A']],
    [2, ['A', 'B']],
    [3, ['A', 'B', 'C']],
  ])('for %i more entries lets as many alerts be deactivated', (ledgerRoom, expected) => {
    const policies = [dismissing('off', names)];
    expect(deactivated({ policies, ledgerRoom })).toEqual(expected);
  });

  it('is not needed for alerts that the ledger has already, and is left to the others', () => {
    const change = { policies: [dismissing('off', names)], ledger: [ledgerEntry({ alert: 'b' })] };
    expect(deactivated({ ...change, ledgerRoom: 0 })).toEqual(['B']);
    expect(deactivated({ ...change, ledgerRoom: 1 })).toEqual(['A', 'B']);
  });

  it('is taken once by two policies that dismiss the same alert, and both say the same', () => {
    const policies = [dismissing('a', ['A']), dismissing('b', ['A'])];
    expect(deactivated({ policies, ledgerRoom: 1 })).toEqual(['A']);
    expect(reasonsOf({ policies, ledgerRoom: 1 })).toEqual(['- - -', '- - -']);
    expect(reasonsOf({ policies: policies.toReversed(), ledgerRoom: 1 })).toEqual(['- - -', '- - -']);
  });
});
