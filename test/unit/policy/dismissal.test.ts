// When a dismissal stops holding: its end to the millisecond, and which incidents its ids cover.
import { describe, expect, it } from 'vitest';

import { dismissalEndMs, dismissalState, isComplete, needsEnd } from '../../../src/policy/dismissal.ts';
import type { Dismissal } from '../../../src/policy/generated/role-alert-policy.ts';
import { at, firing, nowMs } from '../../support/builders/objects.ts';

const dismissal = (bounds: Partial<Dismissal>): Dismissal => ({ reason: 'tracked in SEC-1182', ...bounds });

describe('the end', () => {
  it.each([
    ['in UTC', '2026-06-01T12:00:00Z', nowMs],
    ['in another zone', '2026-06-01T14:30:00+02:30', nowMs],
    ['with nanoseconds, of which milliseconds count', '2026-06-01T12:00:00.123456789Z', nowMs + 123],
    ['that cannot be read is long past', 'tomorrow', 0],
  ])('%s', (_, until, expected) => {
    expect(dismissalEndMs(dismissal({ until }))).toBe(expected);
  });

  it('is absent without until', () => {
    expect(dismissalEndMs(dismissal({ maxIncidents: 1 }))).toBeUndefined();
  });

  it('does not belong to the dismissal any more', () => {
    const ending = dismissal({ until: at(0), maxIncidents: 9 });
    const stateAt = (offsetMs: number) => dismissalState(ending, firing([]), nowMs + offsetMs);
    expect([stateAt(-1), stateAt(0), stateAt(1)]).toEqual(['Holds', 'DismissalExpired', 'DismissalExpired']);
  });

  it('comes before new incidents, so that the reason is always the same', () => {
    expect(dismissalState(dismissal({ until: at(0), maxIncidents: 0 }), firing(['a']), nowMs)).toBe('DismissalExpired');
  });
});

describe('ids', () => {
  it.each([
    ['in another case', ['6f1c'], ['6F1C'], 'Holds'],
    ['none live', ['6f1c'], [], 'Holds'],
    ['one live that is listed twice', ['6f1c'], ['6f1c', '6F1C'], 'Holds'],
    ['two live, of which one is named in two ways', ['6f1c', '6F1C'], ['6f1c', '77aa'], 'NewIncidents'],
    ['one live that is not named', ['6f1c'], ['6f1c', '77aa'], 'NewIncidents'],
    ['one live without an id', ['6f1c'], [''], 'NewIncidents'],
    ['one live with a look-alike letter: the Kelvin sign is no k', ['key1'], ['\u212aey1'], 'NewIncidents'],
    ['one live with a look-alike letter: a dotted capital I is no i', ['i\u0307d'], ['\u0130d'], 'NewIncidents'],
  ])('%s', (_, named, live, expected) => {
    expect(dismissalState(dismissal({ incidents: named }), firing(live), nowMs)).toBe(expected);
  });

  it.each([
    ['as many shown as counted', 2, 'Holds'],
    ['fewer shown than counted: coverage is not proven', 3, 'NewIncidents'],
  ])('%s', (_, incidentCount, expected) => {
    const live = firing(['a', 'b'], { incidentCount });
    expect(dismissalState(dismissal({ incidents: ['a', 'b'] }), live, nowMs)).toBe(expected);
  });
});

it('without any bound nothing is covered, not even an alert without incidents', () => {
  expect(dismissalState(dismissal({}), firing([]), nowMs)).toBe('NewIncidents');
});

it.each([
  [{ until: at(1) }, true],
  [{ until: at(1), maxIncidents: 0 }, true],
  [{ until: at(1), incidents: [] }, true],
  [{ until: at(1), incidents: ['a'] }, false],
])('%j needs an end, unless it names its incidents and the connection asks no more: %o', (bounds, expected) => {
  expect(needsEnd(dismissal(bounds), {})).toBe(expected);
  expect(needsEnd(dismissal(bounds), { dismissalsNeedEnd: true })).toBe(true);
});

it.each([
  [2, 'Holds'],
  [3, 'NewIncidents'],
])('a maximum of two covers %i counted incidents: %s', (incidentCount, expected) => {
  const live = firing(['a'], { incidentCount });
  expect(dismissalState(dismissal({ maxIncidents: 2 }), live, nowMs)).toBe(expected);
});

it('a maximum narrows named incidents, it never widens them', () => {
  const both = { incidents: ['a'], maxIncidents: 9 };
  expect(dismissalState(dismissal(both), firing(['b']), nowMs)).toBe('NewIncidents');
  expect(dismissalState(dismissal({ ...both, maxIncidents: 0 }), firing(['a']), nowMs)).toBe('NewIncidents');
});

it.each<[string, Partial<Dismissal>, boolean]>([
  ['with an end', { until: at(1) }, true],
  ['with the incidents it covers', { incidents: ['a'] }, true],
  ['not with a maximum alone', { maxIncidents: 9 }, false],
  ['not with a maximum beside its incidents', { incidents: ['a'], maxIncidents: 9 }, false],
  ['not with an empty list of incidents', { incidents: [] }, false],
  ['not without a bound', {}, false],
  ['with a reason of eight characters', { until: at(1), reason: 'SEC-1182' }, true],
  ['with eight characters between blanks', { until: at(1), reason: ' S E C - 1 1 8 2 ' }, true],
  ['with a reason in another script', { until: at(1), reason: '部署期间由两组共同管理' }, true],
  ['not with seven characters', { until: at(1), reason: 'SEC-118' }, false],
  ['not with seven characters and many blanks', { until: at(1), reason: '  SEC-118  \t\n' }, false],
  ['not with other blanks', { until: at(1), reason: '\u00a0\u2003\u3000\u200b\ufeff\u00ad\u2028\ufe0f' }, false],
])('a dismissal is complete %s', (_, bounds, expected) => {
  expect(isComplete(dismissal(bounds))).toBe(expected);
});
