// Evaluates the assignments of one scope by kind. Pure; the order of assignments and roles does not matter. scan-alert.ts selects
// the kinds and thresholds and applies the findings.
import { byText } from '../../lib/compare-text.ts';
import { type JsonObject, withoutUndefined } from '../../lib/json-shape.ts';
import type { Assignee, Assignment, Role, ScopeFacts } from './assignments.ts';
import type { AlertKind, Thresholds } from './kinds.ts';

/** A future incident: its subject, and its properties (section 2.5) without the discriminator. */
export interface RoleFinding {
  /** Identifies the subject: stable from scan to scan, and unique among the findings of the kind and scope. */
  readonly about: string;
  readonly properties: JsonObject;
}

export type Findings = Readonly<Record<AlertKind, readonly RoleFinding[]>>;

/** Findings are sorted by `about`. */
export function evaluate({ assignments, roles }: ScopeFacts, thresholds: Thresholds, nowMs: number): Findings {
  const ordered = assignments.toSorted((left, right) => byText(left.id, right.id));
  const members = assigneesOf(ordered);
  const owners = assigneesOf(ordered.filter(({ isOwner }) => isOwner));
  const permanentOwners = assigneesOf(ordered.filter((each) => each.isOwner && isPermanent(each, nowMs)));
  const {
    thresholdNumberOfPermanentOwners: leastPermanentOwners,
    thresholdPercentageOfPermanentOwnersOutOfAllOwners: leastPermanentPercent,
    thresholdNumberOfOwners: leastOwners,
    thresholdPercentageOfOwnersOutOfAllRoleMembers: leastOwnersPercent,
  } = thresholds;
  return {
    TooManyPermanentOwnersAssignedToResource: reaches(
      permanentOwners,
      owners,
      leastPermanentOwners,
      leastPermanentPercent,
    )
      ? findAssignees(permanentOwners)
      : [],
    TooManyOwnersAssignedToResource: reaches(owners, members, leastOwners, leastOwnersPercent)
      ? findAssignees(owners)
      : [],
    RolesAssignedOutsidePrivilegedAccess: ordered.filter(({ isOutside }) => isOutside).map(findAssignment),
    DuplicateRoleCreated: findDuplicates(roles),
  };
}

/** An end in the past has no effect if the assignment still exists. */
function isPermanent({ endsAtMs }: Assignment, nowMs: number): boolean {
  return endsAtMs === undefined || endsAtMs <= nowMs;
}

type Assignees = ReadonlyMap<string, Assignee>;

/** Each assignee once, with the name of its first assignment. */
function assigneesOf(assignments: readonly Assignment[]): Assignees {
  const found = new Map<string, Assignee>();
  for (const { assignee } of assignments) {
    const key = JSON.stringify([assignee.type, assignee.id]);
    if (!found.has(key)) found.set(key, assignee);
  }
  return found;
}

/** Whether both thresholds are reached. Avoids a division, so that an empty set needs no special case and nothing is rounded. */
function reaches(some: Assignees, all: Assignees, leastNumber: number, leastPercent: number): boolean {
  return some.size >= leastNumber && some.size * 100 >= leastPercent * all.size;
}

function findAssignees(assignees: Assignees): readonly RoleFinding[] {
  return byAbout(
    [...assignees].map(([about, { name, type }]) => ({
      about,
      properties: { assigneeName: name, assigneeType: type },
    })),
  );
}

/** Omits members that the source does not provide. */
function findAssignment({ id, assignee, role, requestor = {}, activatedAt }: Assignment): RoleFinding {
  const properties = {
    assigneeDisplayName: assignee.name,
    assigneeId: assignee.id,
    assigneeUserPrincipalName: assignee.userPrincipalName,
    assignmentActivatedDate: activatedAt,
    requestorDisplayName: requestor.name,
    requestorId: requestor.id,
    requestorUserPrincipalName: requestor.userPrincipalName,
    roleDefinitionId: role.id,
    roleDisplayName: role.name,
    roleTemplateId: role.templateId,
  };
  return { about: id, properties: withoutUndefined(properties) };
}

/** One finding for each role except the oldest among those with equal permissions. */
function findDuplicates(roles: readonly Role[]): readonly RoleFinding[] {
  const groups = Map.groupBy(
    roles.filter(({ permissions }) => permissions.length > 0),
    ({ permissions }) => JSON.stringify(permissions),
  );
  return byAbout([...groups.values()].flatMap(findCopies));
}

function findCopies(roles: readonly Role[]): readonly RoleFinding[] {
  const [original, ...copies] = roles.toSorted(olderFirst);
  const duplicateRoles = [original, ...copies].map((role) => role?.name).join(', ');
  return copies.map(({ id, name }) => ({
    about: id,
    properties: { duplicateRoles, reason: `It has the same permissions as ${original?.name}.`, roleName: name },
  }));
}

function olderFirst(left: Role, right: Role): number {
  const byAge = (left.createdAtMs ?? 0) - (right.createdAtMs ?? 0);
  return byAge || byText(left.name, right.name) || byText(left.id, right.id);
}

function byAbout(findings: readonly RoleFinding[]): readonly RoleFinding[] {
  return findings.toSorted((left, right) => byText(left.about, right.about));
}
