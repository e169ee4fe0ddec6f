// The four kinds of section 1: their names, what their definitions say, and which thresholds they have. The names of the
// last two and all discriminators of theirs are not shown in the specification; they are formed like those of the first two.
import type { JsonObject } from '../alerts/alert-document.ts';

export const alertKinds = [
  'TooManyPermanentOwnersAssignedToResource',
  'TooManyOwnersAssignedToResource',
  'RolesAssignedOutsidePrivilegedAccess',
  'DuplicateRoleCreated',
] as const;

export type AlertKind = (typeof alertKinds)[number];

/** In the words of section 2.3; whole numbers, each reached by a value that is equal to it. */
export interface Thresholds {
  readonly thresholdNumberOfPermanentOwners: number;
  readonly thresholdPercentageOfPermanentOwnersOutOfAllOwners: number;
  readonly thresholdNumberOfOwners: number;
  readonly thresholdPercentageOfOwnersOutOfAllRoleMembers: number;
}

export type ThresholdName = keyof Thresholds;

/** Used where neither the alert's configuration nor the scanner's names one. */
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

/** Properties of section 2.4 but the scope. No operation edits a definition, and the scanner mends nothing. */
export const definitionOfKind: Readonly<Record<AlertKind, JsonObject>> = {
  TooManyPermanentOwnersAssignedToResource: {
    displayName: 'Too many permanent owners',
    description: 'More owners than allowed have an assignment without an end.',
    howToPrevent: 'Assign owner roles for a limited time.',
    isConfigurable: true,
    isRemediatable: false,
    mitigationSteps:
      'Review the owners named by the incidents; remove those who are not needed and give the others an end.',
    securityImpact: 'An account with standing ownership that is taken over can do anything at any time.',
    severityLevel: 'Medium',
  },
  TooManyOwnersAssignedToResource: {
    displayName: 'Too many owners',
    description: 'More than the allowed number and share of the role members are owners.',
    howToPrevent: 'Assign the role with the fewest permissions that does the work.',
    isConfigurable: true,
    isRemediatable: false,
    mitigationSteps:
      'Review the owners named by the incidents; replace ownership by a lesser role where that is enough.',
    securityImpact: 'Every owner is one more account whose loss is the loss of the resource.',
    severityLevel: 'Low',
  },
  RolesAssignedOutsidePrivilegedAccess: {
    displayName: 'Roles assigned outside the privileged access service',
    description: 'Roles were assigned beside the service that approves and limits assignments.',
    howToPrevent: 'Take the right to assign roles from everybody but the privileged access service.',
    isConfigurable: false,
    isRemediatable: false,
    mitigationSteps:
      'Remove the assignments named by the incidents; request those that are needed through the service.',
    securityImpact: 'Nobody approved these assignments, and nothing ends them.',
    severityLevel: 'High',
  },
  DuplicateRoleCreated: {
    displayName: 'Duplicate role created',
    description: 'A role has the same permissions as another one.',
    howToPrevent: 'Look for a role with the permissions that are needed before creating one.',
    isConfigurable: false,
    isRemediatable: false,
    mitigationSteps: 'Move the members of the duplicate to the original, then delete the duplicate.',
    securityImpact: 'Whoever reviews the members of one role misses those of its duplicate.',
    severityLevel: 'Low',
  },
};
