// Role assignments for tests of the scanner: short forms of the long objects, and a source that tests change by hand.
import { UsageError } from '../../../src/lib/command-errors.ts';
import type {
  Assignment,
  Assignments,
  AssignmentSource,
  Role,
  ScopeFacts,
} from '../../../src/service/scanner/assignments.ts';
import { defaultThresholds, type Thresholds } from '../../../src/service/scanner/kinds.ts';

/** An assignment of the role Reader; an owner has the role Owner. */
export function assignment(id: string, assignee: string, rest: Partial<Assignment> = {}): Assignment {
  const role = rest.isOwner === true ? 'Owner' : 'Reader';
  return {
    id,
    role: { id: role, name: role },
    assignee: { id: assignee, type: 'User', name: `${assignee}'s name` },
    isOwner: false,
    isOutside: false,
    ...rest,
  };
}

export function owner(assignee: string, rest: Partial<Assignment> = {}): Assignment {
  return assignment(`owner ${assignee}`, assignee, { isOwner: true, ...rest });
}

export function role(name: string, permissions: readonly string[], rest: Partial<Role> = {}): Role {
  return { id: `role ${name}`, name, permissions, ...rest };
}

export function scopeFacts(scope: string, assignments: readonly Assignment[], roles: readonly Role[] = []): ScopeFacts {
  return { scope, assignments, roles };
}

/** One owner is too many, permanent or not. */
export const noOwnersAllowed: Thresholds = {
  ...defaultThresholds,
  thresholdNumberOfPermanentOwners: 1,
  thresholdPercentageOfPermanentOwnersOutOfAllOwners: 0,
  thresholdNumberOfOwners: 1,
  thresholdPercentageOfOwnersOutOfAllRoleMembers: 0,
};

/** A source that a test fills; `'broken'` makes it fail. */
export class HandSource implements AssignmentSource {
  found: Assignments | 'broken';
  reads = 0;

  constructor(found: Assignments | 'broken' = []) {
    this.found = found;
  }

  async read(): Promise<Assignments> {
    this.reads += 1;
    if (this.found === 'broken') throw new UsageError('The source is broken.');
    return this.found;
  }
}
