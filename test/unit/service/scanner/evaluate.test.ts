import { describe, expect, test } from 'vitest';

import type { ScopeFacts } from '../../../../src/service/scanner/assignments.ts';
import { evaluate } from '../../../../src/service/scanner/evaluate.ts';
import { defaultThresholds, type AlertKind, type Thresholds } from '../../../../src/service/scanner/kinds.ts';
import { assignment, owner, role, scopeFacts } from '../../../support/builders/assignments.ts';

const nowMs = Date.UTC(2026, 5, 1);

/** Names of whom the findings of a kind are about. */
function found(kind: AlertKind, facts: ScopeFacts, thresholds: Partial<Thresholds> = {}): readonly unknown[] {
  return evaluate(facts, { ...defaultThresholds, ...thresholds }, nowMs)[kind].map(
    ({ properties }) => properties['assigneeName'] ?? properties['assigneeDisplayName'] ?? properties['roleName'],
  );
}

const people = (count: number, make: (name: string) => ReturnType<typeof owner>) =>
  Array.from({ length: count }, (_, index) => make(`p${index}`));
const owners = (count: number) => people(count, (name) => owner(name));
const ending = (count: number) => people(count, (name) => owner(`ending-${name}`, { endsAtMs: nowMs + 1 }));
const readers = (count: number) => people(count, (name) => assignment(`reader ${name}`, `reader-${name}`));

describe('too many permanent owners', () => {
  const kind = 'TooManyPermanentOwnersAssignedToResource';
  const limits = (number: number, percent: number) => ({
    thresholdNumberOfPermanentOwners: number,
    thresholdPercentageOfPermanentOwnersOutOfAllOwners: percent,
  });

  test.each([
    ['both are reached exactly', 3, 7, limits(3, 30), 3],
    ['the number is one short', 2, 3, limits(3, 30), 0],
    ['the share is just below', 3, 8, limits(3, 30), 0],
    ['no owners, and none are allowed', 0, 0, limits(0, 0), 0],
  ])('when %s', (_, permanent, others, thresholds, expected) => {
    const facts = scopeFacts('s', [...owners(permanent), ...ending(others), ...readers(50)]);
    expect(found(kind, facts, thresholds)).toHaveLength(expected);
  });

  test.each([
    ['an end in the future makes no assignment permanent', nowMs + 1, 0],
    ['an end in the past makes permanent: the assignment still exists', nowMs, 1],
  ])('%s', (_, endsAtMs, expected) => {
    expect(found(kind, scopeFacts('s', [owner('ada', { endsAtMs })]), limits(1, 0))).toHaveLength(expected);
  });

  test('one with a permanent and an ending assignment is a permanent owner, once', () => {
    const facts = scopeFacts('s', [owner('ada', { id: '1', endsAtMs: nowMs + 1 }), owner('ada', { id: '2' })]);
    expect(found(kind, facts, limits(1, 100))).toEqual(["ada's name"]);
  });
});

describe('too many owners', () => {
  const kind = 'TooManyOwnersAssignedToResource';
  const limits = (number: number, percent: number) => ({
    thresholdNumberOfOwners: number,
    thresholdPercentageOfOwnersOutOfAllRoleMembers: percent,
  });

  test.each([
    ['both are reached exactly', 2, 8, limits(2, 20), 2],
    ['the number is one short', 1, 0, limits(2, 20), 0],
    ['the share is just below', 2, 9, limits(2, 20), 0],
    ['there are no role members at all', 0, 0, limits(0, 0), 0],
  ])('when %s', (_, owning, reading, thresholds, expected) => {
    expect(found(kind, scopeFacts('s', [...owners(owning), ...readers(reading)]), thresholds)).toHaveLength(expected);
  });

  test('a member with several roles counts once', () => {
    const several = ['1', '2', '3', '4'].map((id) => assignment(id, 'ada'));
    expect(found(kind, scopeFacts('s', [...several, owner('ada')]), limits(1, 100))).toEqual(["ada's name"]);
  });

  test('a user and a group of one name are two members', () => {
    const group = owner('ada', { id: 'g', assignee: { id: 'ada', type: 'Group', name: 'ada' } });
    expect(found(kind, scopeFacts('s', [owner('ada'), group]), limits(2, 0))).toHaveLength(2);
  });
});

describe('a role assigned outside the privileged access service', () => {
  const kind = 'RolesAssignedOutsidePrivilegedAccess';

  test('is found for every assignment that was made outside, whatever the thresholds', () => {
    const outside = [assignment('1', 'ada', { isOutside: true }), assignment('2', 'ada', { isOutside: true })];
    expect(found(kind, scopeFacts('s', [...outside, owner('bob')]))).toEqual(["ada's name", "ada's name"]);
  });
});

describe('a duplicate role', () => {
  const kind = 'DuplicateRoleCreated';
  const duplicates = (...roles: ReturnType<typeof role>[]) => found(kind, scopeFacts('s', [], roles));

  test.each([
    ['the younger of two', [role('A', ['x'], { createdAtMs: 2 }), role('B', ['x'], { createdAtMs: 1 })], ['A']],
    ['the second by name when their age is unknown', [role('B', ['x']), role('A', ['x'])], ['B']],
    ['none when the permissions differ', [role('A', ['x']), role('B', ['x', 'y'])], []],
    ['none when neither gives anything', [role('A', []), role('B', [])], []],
  ])('is %s', (_, roles, expected) => {
    expect(duplicates(...roles)).toEqual(expected);
  });
});
