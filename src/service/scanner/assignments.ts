// Who has which role where, as every source tells it. An assignment counts at the scope where it was made and nowhere
// else: what is inherited is one assignment, and would otherwise be found again in every scope below.

/** Everything a source knows at one moment. A scope that it does not name has no assignments. */
export type Assignments = readonly ScopeFacts[];

export interface ScopeFacts {
  /** Without a leading slash (section 2.2). Once only, whatever the case of its letters. */
  readonly scope: string;
  readonly assignments: readonly Assignment[];
  /** Roles that were defined at this scope. */
  readonly roles: readonly Role[];
}

export interface Assignment {
  /** Unlike that of every other assignment of the scope, and the same in every scan. */
  readonly id: string;
  readonly role: AssignedRole;
  readonly assignee: Assignee;
  /** The role makes its holder an owner. */
  readonly isOwner: boolean;
  /** It was not made through the privileged access service. */
  readonly isOutside: boolean;
  /** Absent: it has no end. */
  readonly endsAtMs?: number;
  /** As text, for incidents. */
  readonly activatedAt?: string;
  readonly requestor?: Requestor;
}

export interface AssignedRole {
  readonly id: string;
  readonly name: string;
  readonly templateId?: string;
}

export interface Assignee {
  /** With `type`, what tells one assignee from another. */
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly userPrincipalName?: string;
}

export interface Requestor {
  readonly id?: string;
  readonly name?: string;
  readonly userPrincipalName?: string;
}

export interface Role {
  /** Unlike that of every other role of the scope. */
  readonly id: string;
  readonly name: string;
  /** Each once, in code unit order. Two roles with the same ones are duplicates; none at all is nobody's duplicate. */
  readonly permissions: readonly string[];
  /** Milliseconds since 1970; of two duplicates the older one is the original. */
  readonly createdAtMs?: number;
}

/** Where role assignments come from. */
export interface AssignmentSource {
  /** Everything, or a rejection with an `OperatorError`; never a part. */
  read(signal: AbortSignal): Promise<Assignments>;
}
