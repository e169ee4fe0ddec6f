import { describe, expect, test } from 'vitest';

import { parseDocument } from '../../../../src/service/config-files/read.ts';
import { decodeAssignments } from '../../../../src/service/scanner/assignment-file.ts';
import { refusalOf } from '../../../support/checks/refusal.ts';

const decode = (text: string, owners = ['Owner']) =>
  decodeAssignments(parseDocument('assignments', text, 'a.yaml'), 'a.yaml', owners);

const refusal = (text: string) => refusalOf(() => decode(text));

describe('a file of assignments', () => {
  test('says everything that it may say', () => {
    const text = `
scopes:
  subscriptions/s:
    roles:
      - {name: Owner, id: r1, templateId: t1, permissions: [b, a, b], createdAt: "2026-01-01T00:00:00Z"}
    assignments:
      - id: first
        role: Owner
        assignee: {id: u1, name: Ada, type: Group, userPrincipalName: ada@example.net}
        endsAt: "2026-02-01T01:00:00+01:00"
        outside: true
        activatedAt: "2026-01-02T00:00:00Z"
        requestor: {id: u2, name: Dan, userPrincipalName: dan@example.net}
`;
    expect(decode(text)).toEqual([
      {
        scope: 'subscriptions/s',
        roles: [
          { id: 'r1', name: 'Owner', templateId: 't1', permissions: ['a', 'b'], createdAtMs: Date.UTC(2026, 0, 1) },
        ],
        assignments: [
          {
            id: 'first',
            role: expect.objectContaining({ id: 'r1', name: 'Owner', templateId: 't1' }),
            assignee: { id: 'u1', name: 'Ada', type: 'Group', userPrincipalName: 'ada@example.net' },
            isOwner: true,
            isOutside: true,
            endsAtMs: Date.UTC(2026, 1, 1),
            activatedAt: '2026-01-02T00:00:00.000Z',
            requestor: { id: 'u2', name: 'Dan', userPrincipalName: 'dan@example.net' },
          },
        ],
      },
    ]);
  });

  test('needs a role and the id of an assignee, and means the usual with the rest', () => {
    const [facts] = decode('scopes: {s: {assignments: [{role: Reader, assignee: {id: u1}}]}}');
    expect(facts).toEqual({
      scope: 's',
      roles: [],
      assignments: [
        {
          id: '["Reader","User","u1"]',
          role: { id: 'Reader', name: 'Reader' },
          assignee: { id: 'u1', name: 'u1', type: 'User' },
          isOwner: false,
          isOutside: false,
        },
      ],
    });
  });

  test.each([
    ['scopes: {/s: {}}', 'scopes["/s"]: The scope must not start with a slash'],
    ['scopes: {s: {}, S: {}}', 'scopes["S"] repeats an earlier one (names are case-insensitive)'],
    ['scopes: {s: {roles: [{name: A, permissions: [1]}]}}', 'scopes["s"].roles[0].permissions[0] must be text'],
    ['scopes: {s: {roles: [{name: A}, {name: A}]}}', 'scopes["s"].roles[1].id or name repeats an earlier one'],
    [
      'scopes: {s: {assignments: [{role: A, assignee: {id: u}}, {role: A, assignee: {id: u}}]}}',
      'scopes["s"].assignments[1].id repeats an earlier one; an assignment without id is identified by role and assignee',
    ],
    [
      'scopes: {s: {assignments: [{role: A, assignee: {id: u}, endsAt: tomorrow}]}}',
      'scopes["s"].assignments[0].endsAt must be a time like 2026-12-24T18:00:00Z',
    ],
  ])('that says %s is refused', (text, problems) => {
    expect(refusal(text)).toBe(`The assignments a.yaml is invalid: ${problems}.`);
  });

  test('names five problems and counts the rest', () => {
    const scopes = Array.from({ length: 8 }, (_, index) => `s${index}: {more: 1}`);
    expect(refusal(`scopes: {${scopes.join(', ')}}`)).toMatch(
      /: scopes\["s0"\]\.more is not a known member; .*scopes\["s4"\]\.more is not a known member; and 3 more\.$/,
    );
  });
});
