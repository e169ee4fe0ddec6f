// The four kinds of section 1: their names, definitions and thresholds. The contract does not define the names and discriminators of
// the last two kinds; they have the same form as those of the first two.
import type { JsonObject } from '../../lib/json-shape.ts';

export const alertKinds = [
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
  'RolesAssignedOutsidePrivilegedAccess',
  'DuplicateRoleCreated',
] as const;

export type AlertKind = (typeof alertKinds)[number];

/** The thresholds of section 2.3: integers, reached by an equal or greater value. */
export interface Thresholds {
  readonly thresholdNumberOfPermanentOwners: number;
  readonly thresholdPercentageOfPermanentOwnersOutOfAllOwners: number;
  readonly thresholdNumberOfOwners: number;
  readonly thresholdPercentageOfOwnersOutOfAllRoleMembers: number;
}

export type ThresholdName = keyof Thresholds;

/** Used if neither the alert's configuration nor the scanner's file has the threshold. */
export const defaultThresholds: Thresholds = {
  thresholdNumberOfPermanentOwners: 3,
  thresholdPercentageOfPermanentOwnersOutOfAllOwners: 10,
  thresholdNumberOfOwners: 5,
  thresholdPercentageOfOwnersOutOfAllRoleMembers: 20,
};

/** The thresholds that the configuration of a kind has. */
export const thresholdsOfKind: Readonly<Record<AlertKind, readonly ThresholdName[]>> = {
  TooManyPermanentOwnersAssignedToResource: [
    'thresholdNumberOfPermanentOwners',
    'thresholdPercentageOfPermanentOwnersOutOfAllOwners',
  ],
  TooManyOwnersAssignedToResource: ['thresholdNumberOfOwners', 'thresholdPercentageOfOwnersOutOfAllRoleMembers'],
  RolesAssignedOutsidePrivilegedAccess: [],
  DuplicateRoleCreated: [],
};

/** Properties of section 2.4 without the scope. No operation edits a definition, and the scanner does not change an existing one. */
export const definitionOfKind: Readonly<Record<AlertKind, JsonObject>> = {
  TooManyPermanentOwnersAssignedToResource: {
    displayName: 'Too many permanent owners',
    description: 'More owners than allowed have a permanent assignment.',
    howToPrevent: 'Assign owner roles for a limited time.',
    isConfigurable: true,
    isRemediatable: false,
    mitigationSteps:
      'Review the owners in the incidents; remove unneeded ones and limit the assignments of the others in time.',
    securityImpact: 'A compromised account with permanent ownership can do anything at any time.',
    severityLevel: 'Medium',
  },
  TooManyOwnersAssignedToResource: {
    displayName: 'Too many owners',
    description: 'The number and the share of owners among the role members exceed the thresholds.',
    howToPrevent: 'Assign the role with the fewest sufficient permissions.',
    isConfigurable: true,
    isRemediatable: false,
    mitigationSteps: 'Review the owners in the incidents; replace ownership by a lesser role where that is sufficient.',
    securityImpact: 'Every owner is another account whose compromise compromises the resource.',
    severityLevel: 'Low',
  },
  RolesAssignedOutsidePrivilegedAccess: {
    displayName: 'Roles assigned outside the privileged access service',
    description: 'Roles were assigned without the service that approves and limits assignments.',
    howToPrevent: 'Allow only the privileged access service to assign roles.',
    isConfigurable: false,
    isRemediatable: false,
    mitigationSteps: 'Remove the assignments in the incidents; request the needed ones through the service.',
    securityImpact: 'These assignments have no approval and no end.',
    severityLevel: 'High',
  },
  DuplicateRoleCreated: {
    displayName: 'Duplicate role created',
    description: 'A role has the same permissions as another one.',
    howToPrevent: 'Before creating a role, search for an existing one with the needed permissions.',
    isConfigurable: false,
    isRemediatable: false,
    mitigationSteps: 'Move the members of the duplicate to the original, then delete the duplicate.',
    securityImpact: 'A review of the members of one role misses those of its duplicate.',
    severityLevel: 'Low',
  },
};
