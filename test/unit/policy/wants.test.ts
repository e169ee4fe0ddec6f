// The state that a policy wants for an alert, over the bounds of a dismissal and what the connection grants.
import { describe, expect, it } from 'vitest';

import type { Alert } from '../../../src/alerts/types.ts';
import type { Dismissal, PolicyAlert } from '../../../src/policy/generated/role-alert-policy.ts';
import type { Grant } from '../../../src/policy/grant.ts';
import { severityRank } from '../../../src/policy/severity.ts';
import { type Want, wantOf } from '../../../src/policy/wants.ts';
import {
  active,
  alert,
  allowed,
  at,
  firing,
  inactive,
  nowMs,
  policy,
  refused,
} from '../../support/builders/objects.ts';

const hourMs = 3_600_000;
/** With exactly these bounds. */
const declaring = (bounds: Partial<Dismissal>): PolicyAlert => ({
  name: 'x',
  state: 'Inactive',
  dismissal: { reason: 'tracked in SEC-1182', ...bounds },
});
const holds = { state: 'Inactive', source: 'DismissalHolds' };
const isOver = (source: string) => ({ state: 'Active', source });

const dismissals: readonly [string, PolicyAlert, Alert | undefined, object][] = [
  ['declared active', active, alert({ isActive: false }), { state: 'Active', source: 'Declared' }],
  ['before its end', inactive({ until: at(1) }), firing(['a']), holds],
  ['at its end', inactive({ until: at(0) }), firing([]), isOver('DismissalExpired')],
  ['with one incident more', inactive({ maxIncidents: 2 }), firing(['a', 'b', 'c']), isOver('NewIncidents')],
  ['of an alert that is not listed', inactive({ incidents: ['6f1c'] }), undefined, holds],
  ['by time alone, with any incident', inactive({ until: at(hourMs) }), firing(['x', 'y']), holds],
];

it.each(dismissals)('a dismissal %s', (_, declared, live, expected) => {
  expect(wantOf(policy(), declared, live, allowed, nowMs)).toEqual(expected);
});

describe('what is not granted', () => {
  const grant = { ...allowed, maxDismissalMs: hourMs };
  const wanted = (declared: PolicyAlert, by: Grant = grant) => wantOf(policy(), declared, alert(), by, nowMs);
  const denials: readonly [string, Want, string | undefined][] = [
    ['no dismissal without Allow', wanted(inactive({ maxIncidents: 9 }), refused), 'DeactivationDenied'],
    ['an end too far ahead', wanted(inactive({ until: at(hourMs + 1) })), 'DismissalTooLong'],
    ['the farthest end', wanted(inactive({ until: at(hourMs) })), undefined],
    [
      'an end too far ahead, however few incidents are accepted',
      wanted(inactive({ until: at(hourMs + 1), maxIncidents: 0 })),
      'DismissalTooLong',
    ],
    ['a far end beside named incidents', wanted(inactive({ until: at(2 * hourMs), incidents: ['a'] })), undefined],
    ...(
      [
        ['no end', {}, 'DismissalTooLong'],
        ['an end too far ahead', { until: at(hourMs + 1) }, 'DismissalTooLong'],
        ['the farthest end', { until: at(hourMs) }, undefined],
      ] as const
    ).map(([what, bounds, denial]): [string, Want, string | undefined] => [
      `${what} beside named incidents, although every dismissal needs one`,
      wanted(declaring({ incidents: ['a'], ...bounds }), { ...grant, dismissalsNeedEnd: true }),
      denial,
    ]),
    [
      'a maximum without an end, as older schemas took it',
      wanted(declaring({ maxIncidents: 100_000 }), allowed),
      'DismissalIncomplete',
    ],
    [
      'a blank reason, as older schemas took it',
      wanted(declaring({ reason: ' '.repeat(8), incidents: ['a'] }), allowed),
      'DismissalIncomplete',
    ],
    ['Inactive without a dismissal', wanted({ name: 'x', state: 'Inactive' }, allowed), 'DismissalIncomplete'],
  ];
  it.each(denials)('%s', (_, want, denial) => {
    expect(want.denial).toBe(denial);
    expect(want.state).toBe('Inactive');
  });

  it('an expired dismissal wants the alert active, grant or not', () => {
    expect(wanted(inactive({ until: at(-1) }), refused)).toEqual(isOver('DismissalExpired'));
  });
});

describe('unlisted alerts', () => {
  const guard = (minSeverity: 'Low' | 'Medium' | 'High') =>
    policy({ spec: { unlisted: { state: 'Active', minSeverity } } });
  it.each([
    ['Low', 'Low', 'Active'],
    ['High', 'Medium', 'None'],
    ['High', 'high', 'Active'],
    ['High', 'Whatever', 'Active'],
    ['High', undefined, 'Active'],
  ] as const)('from %s on, an alert of severity %s: %s', (least, severity, state) => {
    expect(wantOf(guard(least), undefined, alert({ severity }), allowed, nowMs).state).toBe(state);
  });
  it('are ignored unless the policy says otherwise', () => {
    expect(wantOf(policy(), undefined, alert(), allowed, nowMs)).toEqual({ state: 'None', source: 'NotDeclared' });
  });
  it('are not guarded through a connection that grants no guard', () => {
    const denying = { ...allowed, unlisted: 'Deny' } as const;
    expect(wantOf(guard('Low'), undefined, alert(), denying, nowMs).state).toBe('None');
  });
  it('are not guarded where nothing is listed', () => {
    expect(wantOf(guard('Low'), undefined, undefined, allowed, nowMs).state).toBe('None');
  });
});

it('an unknown severity ranks as the highest', () => {
  expect(['Low', 'MEDIUM', 'high', 'Critical', undefined].map(severityRank)).toEqual([0, 1, 2, 2, 2]);
});
