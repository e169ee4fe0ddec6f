// The schemas of a configuration: a resource whose discriminator names its variant (section 2.3).
import type { Schema } from './document-types.ts';
import { resource } from './resource.ts';
import { alertVariants } from './variants.ts';
import { flagSchema, int32, orNull, textSchema } from './vocabulary.ts';

export function configurationSchemas(namespace: string): Record<string, Schema> {
  const common = {
    alertDefinition: orNull('AlertDefinition', 'The alert definition.'),
    alertDefinitionId: textSchema('Alert definition id; equals the alert name.'),
    isEnabled: flagSchema('True if the alert is enabled; false disables scanning for this alert.'),
    scope: textSchema('The alert scope.'),
  };
  return {
    AlertConfiguration: resource(
      `${namespace}/roleManagementAlertConfigurations`,
      'The configuration of an alert (section 2.3).',
      'AlertConfigurationProperties',
    ),
    ...alertVariants({
      union: 'AlertConfigurationProperties',
      discriminator: 'alertConfigurationType',
      description: 'The members of every variant, and those of the variant that alertConfigurationType names.',
      common,
      shown: {
        TooManyPermanentOwnersAssignedToResourceAlertConfiguration: {
          thresholdNumberOfPermanentOwners: int32('Threshold number of permanent owners.'),
          thresholdPercentageOfPermanentOwnersOutOfAllOwners: int32(
            'Threshold percentage of permanent owners out of all owners.',
          ),
        },
        TooManyOwnersAssignedToResourceAlertConfiguration: {
          thresholdNumberOfOwners: int32('Threshold number of owners.'),
          thresholdPercentageOfOwnersOutOfAllRoleMembers: int32(
            'Threshold percentage of owners out of all role members.',
          ),
        },
      },
      notShown: {},
    }),
  };
}
