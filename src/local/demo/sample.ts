// What a sample of the demo consists of, and the names of its alerts.
import type { RoleAlertPolicySpec } from '../../policy/generated/role-alert-policy.ts';
import type { Expectation } from './expectations.ts';

export const owners = 'TooManyOwnersAssignedToResource';
export const permanentOwners = 'TooManyPermanentOwnersAssignedToResource';
export const outsideAssignments = 'RolesAssignedOutsidePrivilegedAccess';
export const duplicateRole = 'DuplicateRoleCreated';

export interface Sample {
  readonly name: string;
  /** The purpose of the sample, for the table. */
  readonly shows: string;
  readonly scope: string;
  /** The alert that the sample demonstrates. */
  readonly alert: string;
  readonly connection: 'allowing' | 'denying';
  readonly spec: Pick<RoleAlertPolicySpec, 'alerts'> & { readonly mode?: 'Observe' };
  /** The alerts that the scope lists at the start. */
  readonly found: readonly FoundAlert[];
  /** True when the service's scanner creates the alert from the demo's cluster. */
  readonly isScanned?: true;
  /** When its dismissal ends, in days; default 14. Of no effect on a dismissal that names its incidents. */
  readonly endsInDays?: number;
  readonly before: Expectation;
  readonly after: Expectation;
}

export interface FoundAlert {
  readonly name: string;
  readonly isActive: boolean;
  /** Ids of the incidents. */
  readonly incidents: readonly string[];
}
