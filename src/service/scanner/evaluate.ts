// What is wrong with the assignments of one scope, by kind. Pure, and the order of assignments and roles does not matter.
// Whether a kind is looked at, which thresholds hold, and what becomes of a finding is decided in scan-alert.ts.
import type { JsonObject } from '../alerts/alert-document.ts';
import type { Assignee, Assignment, Role, ScopeFacts } from './assignments.ts';
import type { AlertKind, Thresholds } from './kinds.ts';

/** One incident to be: what it is about, and its properties (section 2.5) without the discriminator. */
export interface Finding {
  /** The same in every scan that finds the same thing, and unlike that of every other finding of the kind and scope. */
  readonly about: string;
  readonly properties: JsonObject;
}

export type Findings = Readonly<Record<AlertKind, readonly Finding[]>>;

/** Findings stand in the order of `about`. */
export function evaluate({ assignments, roles }: ScopeFacts, thresholds: Thresholds, nowMs: number): Findings {
  const ordered = assignments.toSorted((left, right) => compare(left.id, right.id));
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

/** An end that has passed while the assignment still stands does not end it. */
function isPermanent({ endsAtMs }: Assignment, nowMs: number): boolean {
  return endsAtMs === undefined || endsAtMs <= nowMs;
}

type Assignees = ReadonlyMap<string, Assignee>;

/** Each once, however many assignments they have; of two spellings of a name the one of the first assignment. */
function assigneesOf(assignments: readonly Assignment[]): Assignees {
  const found = new Map<string, Assignee>();
  for (const { assignee } of assignments) {
    const key = JSON.stringify([assignee.type, assignee.id]);
    if (!found.has(key)) found.set(key, assignee);
  }
  return found;
}

/** Both thresholds. Without a division, so that a share of nobody is no special case and nothing is rounded. */
function reaches(some: Assignees, all: Assignees, leastNumber: number, leastPercent: number): boolean {
  return some.size >= leastNumber && some.size * 100 >= leastPercent * all.size;
}

function findAssignees(assignees: Assignees): readonly Finding[] {
  return byAbout(
    [...assignees].map(([about, { name, type }]) => ({
      about,
      properties: { assigneeName: name, assigneeType: type },
    })),
  );
}

/** What a source does not know is left out, not made up. */
function findAssignment({ id, assignee, role, requestor = {}, activatedAt }: Assignment): Finding {
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
  return { about: id, properties: withoutAbsent(properties) };
}

/** One finding for every role that is not the first of those with its permissions. */
function findDuplicates(roles: readonly Role[]): readonly Finding[] {
  const groups = Map.groupBy(
    roles.filter(({ permissions }) => permissions.length > 0),
    ({ permissions }) => JSON.stringify(permissions),
  );
  return byAbout([...groups.values()].flatMap(findCopies));
}

function findCopies(roles: readonly Role[]): readonly Finding[] {
  const [original, ...copies] = roles.toSorted(olderFirst);
  const duplicateRoles = [original, ...copies].map((role) => role?.name).join(', ');
  return copies.map(({ id, name }) => ({
    about: id,
    properties: { duplicateRoles, reason: `It has the same permissions as ${original?.name}.`, roleName: name },
  }));
}

function olderFirst(left: Role, right: Role): number {
  const byAge = (left.createdAtMs ?? 0) - (right.createdAtMs ?? 0);
  return byAge || compare(left.name, right.name) || compare(left.id, right.id);
}

function byAbout(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((left, right) => compare(left.about, right.about));
}

/** By code units: the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function withoutAbsent(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
