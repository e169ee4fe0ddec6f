// Parses the file of role assignments and applies its defaults. Every problem names its path. evaluate.ts judges the
// assignments.
import { isObject, objectOf } from '../lib/json-shape.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import {
  requireText,
  note,
  openFields,
  openList,
  openMember,
  readFlag,
  readText,
  readTexts,
  readTime,
  type Fields,
} from '../service/config-files/fields.ts';
import { namedScopes } from '../service/config-files/named-places.ts';
import { refuseProblems } from '../service/config-files/read.ts';
import type { AssignedRole, Assignee, Assignment, Assignments, Requestor, Role, ScopeFacts } from './assignments.ts';

const roleMembers = ['name', 'id', 'templateId', 'permissions', 'createdAt'];
const assignmentMembers = ['id', 'role', 'assignee', 'endsAt', 'outside', 'activatedAt', 'requestor'];
const assigneeMembers = ['id', 'name', 'type', 'userPrincipalName'];
const requestorMembers = ['id', 'name', 'userPrincipalName'];

/** Checks the whole document. Members of the roles in `owners` are owners. Throws `UsageError`. */
export function decodeAssignments(document: unknown, file: string, owners: readonly string[]): Assignments {
  const problems: string[] = [];
  const fields = openFields(document, { path: '', problems, known: ['scopes'] });
  if (!isObject(fields.object['scopes'])) problems.push('it must have the member "scopes", an object by scope');
  const scopes = namedScopes(objectOf(fields.object['scopes']), problems);
  const facts = Array.from(scopes, ({ scope, value, path }) =>
    decodeScope(scope, openFields(value, { path, problems, known: ['roles', 'assignments'] }), owners),
  );
  refuseProblems('assignments', file, problems);
  return facts;
}

function decodeScope(scope: string, fields: Fields, owners: readonly string[]): ScopeFacts {
  const [roleIds, assignmentIds] = [new Set<string>(), new Set<string>()];
  const described = openList(fields, 'roles', roleMembers).map((role) => {
    const decoded = decodeRole(role);
    noteRepetition(roleIds, decoded.id, () => note(role, 'id', 'or name repeats an earlier one'));
    return decoded;
  });
  const rolesByName = new Map(described.map((role) => [role.name, role]));
  const assignments = openList(fields, 'assignments', assignmentMembers).map((assignment) => {
    const decoded = decodeAssignment(assignment, rolesByName, owners);
    noteRepetition(assignmentIds, decoded.id, () =>
      note(assignment, 'id', 'repeats an earlier one; an assignment without id is identified by role and assignee'),
    );
    return decoded;
  });
  return { scope, assignments, roles: described };
}

function decodeRole(fields: Fields): Role & AssignedRole {
  const name = requireText(fields, 'name');
  const permissions = [...new Set(readTexts(fields, 'permissions'))].toSorted();
  const id = readText(fields, 'id') ?? name;
  const optional = { templateId: readText(fields, 'templateId'), createdAtMs: readTime(fields, 'createdAt') };
  return { id, name, permissions, ...withoutUndefined(optional) };
}

/** For a role that the scope does not describe, only the name is known. */
function decodeAssignment(
  fields: Fields,
  rolesByName: ReadonlyMap<string, AssignedRole>,
  owners: readonly string[],
): Assignment {
  const roleName = requireText(fields, 'role');
  const assignee = decodeAssignee(fields);
  const activatedAtMs = readTime(fields, 'activatedAt');
  return {
    id: readText(fields, 'id') ?? JSON.stringify([roleName, assignee.type, assignee.id]),
    role: rolesByName.get(roleName) ?? { id: roleName, name: roleName },
    assignee,
    isOwner: owners.includes(roleName),
    isOutside: readFlag(fields, 'outside') ?? false,
    ...(activatedAtMs !== undefined && { activatedAt: new Date(activatedAtMs).toISOString() }),
    ...withoutUndefined({ endsAtMs: readTime(fields, 'endsAt'), requestor: decodeRequestor(fields) }),
  };
}

function decodeAssignee(assignment: Fields): Assignee {
  if (assignment.object['assignee'] === undefined) note(assignment, 'assignee', 'is missing');
  const fields = openMember(assignment, 'assignee', assigneeMembers);
  const id = assignment.object['assignee'] === undefined ? '' : requireText(fields, 'id');
  return {
    id,
    type: readText(fields, 'type') ?? 'User',
    name: readText(fields, 'name') ?? id,
    ...withoutUndefined({ userPrincipalName: readText(fields, 'userPrincipalName') }),
  };
}

function decodeRequestor(assignment: Fields): Requestor | undefined {
  if (assignment.object['requestor'] === undefined) return undefined;
  const fields = openMember(assignment, 'requestor', requestorMembers);
  const texts = requestorMembers.map((name) => [name, readText(fields, name)]);
  return withoutUndefined(Object.fromEntries(texts)) as Requestor;
}

function noteRepetition(seen: Set<string>, key: string, report: () => void): void {
  if (seen.has(key)) report();
  seen.add(key);
}
