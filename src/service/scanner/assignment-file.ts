// Parses the file of role assignments and applies its defaults. Every problem names its path. evaluate.ts judges the
// assignments.
import { withoutUndefined } from '../../lib/json-shape.ts';
import { namedScopes } from '../config-files/named-places.ts';
import { refuseProblems } from '../config-files/read.ts';
import {
  anyObject,
  anyText,
  flag,
  list,
  object,
  refine,
  text,
  time,
  type MeaningOf,
  type ValueShape,
} from '../config-files/shape.ts';
import type { Assignments } from './assignments.ts';

const file = object({ scopes: anyObject }, {});

const role = refine(
  object({ name: text }, { id: text, templateId: text, permissions: list(anyText), createdAt: time }),
  ({ createdAt: createdAtMs, permissions = [], ...given }) => ({
    id: given.name,
    ...given,
    permissions: [...new Set(permissions)].toSorted(),
    ...withoutUndefined({ createdAtMs }),
  }),
);

const assignee = refine(object({ id: text }, { name: text, type: text, userPrincipalName: text }), (given) => ({
  name: given.id,
  type: 'User',
  ...given,
}));

const requestor = object({}, { id: text, name: text, userPrincipalName: text });

const assignment = refine(
  object({ role: text, assignee }, { id: text, endsAt: time, outside: flag, activatedAt: time, requestor }),
  ({ endsAt: endsAtMs, outside: isOutside = false, activatedAt, ...given }) => ({
    id: JSON.stringify([given.role, given.assignee.type, given.assignee.id]),
    ...given,
    isOutside,
    ...(activatedAt !== undefined && { activatedAt: new Date(activatedAt).toISOString() }),
    ...withoutUndefined({ endsAtMs }),
  }),
);

const scopeShape = object(
  {},
  {
    roles: distinct(role, 'or name repeats an earlier one'),
    assignments: distinct(
      assignment,
      'repeats an earlier one; an assignment without id is identified by role and assignee',
    ),
  },
);

/** A list in which no id comes twice. */
function distinct<T extends { readonly id: string }>(entry: ValueShape<T>, problem: string): ValueShape<readonly T[]> {
  return refine(list(entry), (entries, note) => {
    const seen = new Set<string>();
    for (const [index, { id }] of entries.entries()) {
      if (seen.has(id)) note(problem, `[${index}].id`);
      seen.add(id);
    }
    return entries;
  });
}

/** Checks the whole document. Members of the roles in `owners` are owners. Throws `UsageError`. */
export function decodeAssignments(document: unknown, source: string, owners: readonly string[]): Assignments {
  const problems: string[] = [];
  const { scopes = {} } = file(document, '', problems) ?? {};
  const facts = Array.from(namedScopes(scopes, problems), ({ scope, value, path }) => {
    const { roles = [], assignments = [] } = scopeShape(value, path, problems) ?? {};
    const rolesByName = new Map(roles.map((each) => [each.name, each]));
    // For a role that the scope does not describe, only the name is known.
    const roleOf = (name: string) => rolesByName.get(name) ?? { id: name, name };
    const withRole = (each: MeaningOf<typeof assignment>) => {
      return { ...each, role: roleOf(each.role), isOwner: owners.includes(each.role) };
    };
    return { scope, roles, assignments: assignments.map(withRole) };
  });
  refuseProblems('assignments', source, problems);
  return facts;
}
