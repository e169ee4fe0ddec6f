// Role assignments in the form that every source provides. An assignment counts only at the scope where it was made: otherwise
// every scope below would report an inherited assignment again.

/** A snapshot of a source. A scope that it does not name has no assignments. */
export type Assignments = readonly ScopeFacts[];

export interface ScopeFacts {
  /** Without a leading slash (section 2.2). Unique regardless of case. */
  readonly scope: string;
  readonly assignments: readonly Assignment[];
  /** Roles that are defined at this scope. */
  readonly roles: readonly Role[];
}

export interface Assignment {
  /** Unique in the scope, and the same in every scan. */
  readonly id: string;
  readonly role: AssignedRole;
  readonly assignee: Assignee;
  /** True when the assignee is an owner through this role. */
  readonly isOwner: boolean;
  /** True when it was not made through the privileged access service. */
  readonly isOutside: boolean;
  /** End of the assignment, in milliseconds since 1970. Absent: permanent. */
  readonly endsAtMs?: number;
  /** RFC 3339 time of the activation, for incidents. */
  readonly activatedAt?: string;
  readonly requestor?: Requestor;
}

export interface AssignedRole {
  readonly id: string;
  readonly name: string;
  readonly templateId?: string;
}

export interface Assignee {
  /** Identifies the assignee together with `type`. */
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
  /** Unique in the scope. */
  readonly id: string;
  readonly name: string;
  /** Unique, in code unit order. Roles with equal permissions are duplicates, except roles without permissions. */
  readonly permissions: readonly string[];
  /** Milliseconds since 1970; of two duplicates the older one is the original. */
  readonly createdAtMs?: number;
}

/** A source of role assignments. */
export interface AssignmentSource {
  /** Reads all assignments, or rejects with a `CodedError`; never returns a part. */
  read(signal: AbortSignal): Promise<Assignments>;
}
