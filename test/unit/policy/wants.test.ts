// The state that a policy wants for an alert, over the bounds of a dismissal and what the connection grants.
import { describe, expect, it } from 'vitest';

import type { Alert } from '../../../src/alerts/types.ts';
import type { Dismissal, PolicyAlert } from '../../../src/policy/generated/role-alert-policy.ts';
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

describe('a dismissal', () => {
  it.each(dismissals)('%s', (_, declared, live, expected) => {
    expect(wantOf(policy(), declared, live, allowed, nowMs)).toEqual(expected);
  });
});

describe('what is not granted', () => {
  const grant = { ...allowed, maxDismissalMs: hourMs };
  const denials: readonly [string, Want, string | undefined][] = [
    [
      'no dismissal without Allow',
      wantOf(policy(), inactive({ maxIncidents: 9 }), alert(), refused, nowMs),
      'DeactivationDenied',
    ],
    [
      'an end too far ahead',
      wantOf(policy(), inactive({ until: at(hourMs + 1) }), alert(), grant, nowMs),
      'DismissalTooLong',
    ],
    ['the farthest end', wantOf(policy(), inactive({ until: at(hourMs) }), alert(), grant, nowMs), undefined],
    [
      'an end too far ahead, however few incidents are accepted',
      wantOf(policy(), inactive({ until: at(hourMs + 1), maxIncidents: 0 }), alert(), grant, nowMs),
      'DismissalTooLong',
    ],
    [
      'a far end beside named incidents',
      wantOf(policy(), inactive({ until: at(2 * hourMs), incidents: ['a'] }), alert(), grant, nowMs),
      undefined,
    ],
    ...(
      [
        ['no end', {}, 'DismissalTooLong'],
        ['an end too far ahead', { until: at(hourMs + 1) }, 'DismissalTooLong'],
        ['the farthest end', { until: at(hourMs) }, undefined],
      ] as const
    ).map(([what, bounds, denial]): [string, Want, string | undefined] => [
      `${what} beside named incidents, although every dismissal needs one`,
      wantOf(
        policy(),
        declaring({ incidents: ['a'], ...bounds }),
        alert(),
        { ...grant, dismissalsNeedEnd: true },
        nowMs,
      ),
      denial,
    ]),
    [
      'a maximum without an end, as older schemas took it',
      wantOf(policy(), declaring({ maxIncidents: 100_000 }), alert(), allowed, nowMs),
      'DismissalIncomplete',
    ],
    [
      'a blank reason, as older schemas took it',
      wantOf(policy(), declaring({ reason: ' '.repeat(8), incidents: ['a'] }), alert(), allowed, nowMs),
      'DismissalIncomplete',
    ],
    [
      'Inactive without a dismissal',
      wantOf(policy(), { name: 'x', state: 'Inactive' }, alert(), allowed, nowMs),
      'DismissalIncomplete',
    ],
  ];
  it.each(denials)('%s', (_, want, denial) => {
    expect(want.denial).toBe(denial);
    expect(want.state).toBe('Inactive');
  });

  it('an expired dismissal wants the alert active, grant or not', () => {
    expect(wantOf(policy(), inactive({ until: at(-1) }), alert(), refused, nowMs)).toEqual(isOver('DismissalExpired'));
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
  it('are not guarded where nothing is listed', () => {
    expect(wantOf(guard('Low'), undefined, undefined, allowed, nowMs).state).toBe('None');
  });
});

it('an unknown severity ranks as the highest', () => {
  expect(['Low', 'MEDIUM', 'high', 'Critical', undefined].map(severityRank)).toEqual([0, 1, 2, 2, 2]);
});
