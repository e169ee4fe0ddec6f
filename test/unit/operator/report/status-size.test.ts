// What a status drops when it becomes too large, in which order, and what it always keeps.
import { describe, expect, it } from 'vitest';

import { fitStatus, statusLimitBytes } from '../../../../src/operator/report/policy-status.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';

const row = (name: string, ids: number, idBytes: number, change: object = {}): AlertStatus =>
  ({
    name,
    want: 'Active',
    incidents: {
      total: 1000,
      byType: [{ type: 'T', count: 1000 }],
      ids: Array.from({ length: ids }, (_, index) => String(index).padEnd(idBytes, 'x')),
    },
    ...change,
  }) as unknown as AlertStatus;
const statusOf = (...alerts: AlertStatus[]): RoleAlertPolicyStatus => ({ observedGeneration: 1, alerts });
const bytesOf = (status: RoleAlertPolicyStatus) => Buffer.byteLength(JSON.stringify(status));
const idCountsOf = (status: RoleAlertPolicyStatus) => status.alerts?.map(({ incidents }) => incidents.ids?.length);

describe('a status', () => {
  it('that fits exactly stays as it is, and one byte more costs ids', () => {
    const roomy = statusOf(row('A', 40, 1000));
    const filled = { ...roomy, lastHandledReconcileAt: '' };
    const exact = { ...roomy, lastHandledReconcileAt: 'x'.repeat(statusLimitBytes - bytesOf(filled)) };
    expect(bytesOf(exact)).toBe(statusLimitBytes);
    expect(fitStatus(exact)).toBe(exact);
    const over = { ...exact, lastHandledReconcileAt: `${exact.lastHandledReconcileAt}x` };
    expect(idCountsOf(fitStatus(over))).toEqual([25]);
  });

  it.each([25, 12, 6, 3, 1])(
    'too large keeps %i ids of each alert if they fit, and says that there are more',
    (kept) => {
      const idBytes = Math.floor((statusLimitBytes * 0.093 - 220) / kept) - 3;
      const rows = Array.from({ length: 10 }, (_, index) => row(`A${index}`, 50, idBytes));
      const fitted = fitStatus(statusOf(...rows));
      expect(idCountsOf(fitted)).toEqual(Array(10).fill(kept));
      expect(fitted.alerts?.[0]?.incidents).toMatchObject({ total: 1000, truncated: true });
      expect(bytesOf(fitted)).toBeLessThanOrEqual(statusLimitBytes);
    },
  );

  it('loses no id of an alert that has few', () => {
    const fitted = fitStatus(statusOf(row('many', 50, 2000), row('few', 25, 10)));
    expect(idCountsOf(fitted)).toEqual([25, 25]);
    expect(fitted.alerts?.map(({ incidents }) => incidents.truncated)).toEqual([true, undefined]);
  });

  it('gives up the types after the ids, and never a total', () => {
    const wide = row('A', 1, 100, { incidents: { total: 7, byType: [{ type: 'x'.repeat(70_000), count: 7 }] } });
    const none = row('B', 0, 0, { incidents: { total: 0 } });
    const fitted = fitStatus(statusOf(wide, none));
    expect(fitted.alerts?.map(({ incidents }) => incidents)).toEqual([{ total: 7, truncated: true }, { total: 0 }]);
  });

  it('without ids has none, and not an empty list', () => {
    const fitted = fitStatus(statusOf(...Array.from({ length: 5 }, (_, index) => row(`A${index}`, 1, 20_000))));
    expect(fitted.alerts?.some(({ incidents }) => 'ids' in incidents)).toBe(false);
    expect(fitted.alerts?.[0]?.incidents).toMatchObject({ byType: [{ type: 'T', count: 1000 }], truncated: true });
  });

  it('whose names alone are too long loses the last rows', () => {
    const long = (name: string) => row(name.padEnd(1000, 'x'), 0, 0);
    const rows = Array.from({ length: 120 }, (_, index) => long(`a${index}`));
    const many = fitStatus(statusOf(...rows));
    expect(many.alerts?.map(({ name }) => name)).toEqual(rows.slice(0, many.alerts?.length).map(({ name }) => name));
    expect(bytesOf(many)).toBeLessThanOrEqual(statusLimitBytes);
    expect(many.alerts?.length).toBeGreaterThan(40);
  });

  it('keeps the rest of each row, and every row, when it fits without severities', () => {
    const rows = Array.from({ length: 10 }, (_, index) =>
      row(`A${index}`, 2, 10, { want: 'None', severity: 'x'.repeat(10_000) }),
    );
    const fitted = fitStatus(statusOf(...rows));
    expect(fitted.alerts?.map(({ name, want }) => `${name} ${want}`)).toEqual(rows.map(({ name }) => `${name} None`));
    expect(fitted.alerts?.some((each) => 'severity' in each)).toBe(false);
  });

  it('makes room for its other parts, and has no row at all when none fits', () => {
    const rows = Array.from({ length: 40 }, (_, index) => row(`a${index}`.padEnd(1000, 'x'), 0, 0));
    const large = { ...statusOf(...rows), lastHandledReconcileAt: 'x'.repeat(statusLimitBytes / 2) };
    expect(bytesOf(fitStatus(large))).toBeLessThanOrEqual(statusLimitBytes);
    expect(fitStatus(statusOf(row('a'.repeat(70_000), 0, 0))).alerts).toEqual([]);
  });
});
