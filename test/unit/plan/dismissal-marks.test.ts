// The marks of dismissals in the status of a policy, within the limits of the schema.
import { describe, expect, it } from 'vitest';

import {
  inheritedFrom,
  lostNotes,
  markedRows,
  marksIn,
  nextMarks,
  noMarks,
  rowLimit,
  storedMarks,
  withMark,
} from '../../../src/plan/dismissal-marks.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import { policy } from '../../support/builders/objects.ts';

const endpoint = 'https://service.example vendor.authorization';
const elsewhere = 'https://other.example vendor.authorization';
const since = '2026-06-01T11:00:00Z';

function row(name: string, change: Partial<AlertStatus> = {}): AlertStatus {
  const seen = { want: 'Active', live: 'Active', state: 'Armed', result: 'InSync', incidents: { total: 0 } } as const;
  return { name, ...seen, ...change };
}

function statusOf(alerts: readonly AlertStatus[], dismissalEndpoint?: string): RoleAlertPolicyStatus {
  return { observedGeneration: 1, alerts: [...alerts], ...(dismissalEndpoint !== undefined && { dismissalEndpoint }) };
}

const marked = (name: string) => row(name, { want: 'Inactive', dismissedAt: since });
const namesOf = ({ alerts = [] }: RoleAlertPolicyStatus) => alerts.map(({ name }) => name);

describe('a mark before a deactivation', () => {
  it('changes nothing else of a row, however its name is spelled', () => {
    const status = withMark(statusOf([row('Alpha'), row('Beta')]), row('ALPHA'), { since, endpoint });
    expect(status).toEqual(statusOf([row('Alpha', { dismissedAt: since }), row('Beta')], endpoint));
  });

  it('adds a row in the order of names', () => {
    expect(namesOf(withMark(statusOf([row('A'), row('C')]), row('B'), { since, endpoint }))).toEqual(['A', 'B', 'C']);
  });

  it('takes the place of the last alert without a memory when there is no room', () => {
    const counted = { deactivations: { windowStart: since, count: 1 } };
    const rows = Array.from({ length: rowLimit }, (_, index) => row(`B${String(index).padStart(3, '0')}`));
    const full = [...rows.slice(0, -2), row('B126', counted), marked('B127')];
    const names = namesOf(withMark(statusOf(full, endpoint), row('A'), { since, endpoint }));
    expect([names.length, names[0], names.slice(-3)]).toEqual([rowLimit, 'A', ['B124', 'B126', 'B127']]);
  });

  it('removes the marks of another service', () => {
    const status = withMark(statusOf([marked('Alpha'), row('Beta')], elsewhere), row('Beta'), { since, endpoint });
    expect(status.alerts).toEqual([row('Alpha', { want: 'Inactive' }), row('Beta', { dismissedAt: since })]);
  });
});

describe('the marks of the next status', () => {
  const entry = { scope: 'subscriptions/a', alert: 'Alpha', policy: 'team/owners', since };

  it('are those of the ledger that name the policy', () => {
    const ledger = [entry, { ...entry, alert: 'Beta', policy: 'team/others' }];
    expect(marksIn(ledger, 'team/owners', endpoint)).toEqual({ since: new Map([['alpha', since]]), endpoint });
  });

  it.each([
    ['stay while the ledger of another service names none', [], elsewhere, endpoint],
    ['give way to those of another service', [{ ...entry, alert: 'Beta' }], elsewhere, elsewhere],
    ['end with the ledger of the same service', [], endpoint, endpoint],
  ])('%s', (_, ledger, now, expected) => {
    const next = nextMarks(statusOf([marked('Alpha')], endpoint), marksIn(ledger, 'team/owners', now));
    const kept = now === elsewhere && ledger.length === 0 ? ['alpha'] : ledger.map(({ alert }) => alert.toLowerCase());
    expect([next.endpoint, [...next.since.keys()]]).toEqual([expected, kept]);
  });

  it('leave no row that was there for a mark only', () => {
    const bare = { want: 'None', result: 'Unmanaged' } as const;
    const counted = row('Counted', { ...bare, deactivations: { windowStart: since, count: 1 }, dismissedAt: since });
    const rows = markedRows([row('Alpha'), row('Gone', { ...bare, dismissedAt: since }), counted], noMarks);
    expect(rows.map(({ name, dismissedAt }) => [name, dismissedAt])).toEqual([
      ['Alpha', undefined],
      ['Counted', undefined],
    ]);
  });
});

describe('the entries that a status holds', () => {
  it('are of its own scope and policy, and only for a connection to the same service', () => {
    const object = policy({ status: statusOf([marked('Alpha'), row('Beta')], endpoint) });
    expect(inheritedFrom(object, endpoint)).toEqual([
      { scope: 'subscriptions/a', alert: 'Alpha', policy: 'team/owners', since },
    ]);
    expect(inheritedFrom(object, elsewhere)).toEqual([]);
  });

  it('are none without the name of the service', () => {
    expect(inheritedFrom(policy({ status: statusOf([marked('Alpha')]) }), endpoint)).toEqual([]);
    expect(storedMarks(statusOf([marked('Alpha')]))).toEqual(noMarks);
  });
});

it('a sentence names five alerts and how many more there are', () => {
  const status = statusOf(['A', 'B', 'C', 'D', 'E', 'F', 'G'].map(marked), endpoint);
  expect(lostNotes(status, storedMarks(status))).toEqual([
    `Alerts A, B, C, D, E and 2 more: deactivated by the operator at ${endpoint} through this connection, and not proven active ` +
      'since. Create the connection again with that endpoint, or activate them in the service.',
  ]);
  expect(lostNotes(status, storedMarks(status, new Set(['a', 'b', 'c', 'd', 'e', 'f'])))).toEqual([
    expect.stringMatching(/^Alert G: .* or activate it in the service\.$/),
  ]);
});
