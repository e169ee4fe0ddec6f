// Section 2 as JSON Schema for every possible response: the service returns what alert-shape.ts accepts. So null is allowed
// wherever alert-shape.ts accepts it, members that section 2 does not define are allowed everywhere, and enumerations and
// discriminators list their values but allow others. The format of times is unchecked.
import type { Schema } from './document-types.ts';
import { alertVariants } from './variants.ts';
import { flagSchema, int32, orNull, ref, textSchema, time } from './vocabulary.ts';

/** Every schema of the description by name. */
export function openAPISchemas(providerNamespace: string): Readonly<Record<string, Schema>> {
  return {
    AlertListResult: alertListResult,
    ...alertSchemas(providerNamespace),
    ...configurationSchemas(providerNamespace),
    ...definitionSchemas(providerNamespace),
    ...incidentSchemas(providerNamespace),
    AlertUpdate: alertUpdate,
    SystemData: systemData,
    CreatedByType: {
      type: 'string',
      enum: ['User', 'Application', 'ManagedIdentity', 'Key'],
      description: 'The allowed values of section 2.7.',
    },
    ErrorBody: errorBody,
  };
}

const alertListResult: Schema = {
  type: 'object',
  description: 'One page of the alerts of a scope (section 2.6).',
  required: ['value'],
  properties: {
    value: { type: 'array', items: ref('Alert'), description: 'Alerts on this page.' },
    nextLink: {
      type: 'string',
      format: 'uri',
      description:
        'Link to the next page, on the origin of this request; absent on the last page. Follow it unchanged.',
    },
  },
};

/** The complete body: other members are refused, because a misinterpretation could deactivate an alert. */
const alertUpdate: Schema = {
  type: 'object',
  description: 'The body of an update: only the active flag (section 4.2). No member may be repeated.',
  required: ['properties'],
  additionalProperties: false,
  properties: {
    properties: {
      type: 'object',
      required: ['isActive'],
      additionalProperties: false,
      properties: { isActive: { type: 'boolean', description: 'False deactivates the alert.' } },
    },
  },
  example: { properties: { isActive: true } },
};

const systemData: Schema = {
  type: 'object',
  description: 'Creation and modification metadata (section 2.7). An update that changes the flag updates it.',
  properties: {
    createdAt: time('Creation time, UTC.'),
    createdBy: textSchema('Creating identity.'),
    createdByType: openEnum('CreatedByType', 'Type of the creating identity.'),
    lastModifiedAt: time('Last modification time, UTC.'),
    lastModifiedBy: textSchema('Identity of the last modifier.'),
    lastModifiedByType: openEnum('CreatedByType', 'Type of the last modifying identity.'),
  },
};

const errorBody: Schema = {
  type: 'object',
  description: 'The body of every error response (sections 2.8 and 7).',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'Invariant identifier, meant to be consumed programmatically.' },
        message: { type: 'string', description: 'Message suitable for display in a user interface.' },
      },
    },
  },
};

/** Lists the known values and also allows others. */
function openEnum(name: string, description: string): Schema {
  return { anyOf: [ref(name), { type: ['string', 'null'] }], description: `${description} Tolerate other values.` };
}

/** A resource of section 2.1 with its `properties`. */
function resource(type: string, description: string, properties: string, required: readonly string[] = []): Schema {
  return {
    type: 'object',
    description,
    ...(required.length > 0 ? { required } : {}),
    properties: {
      id: textSchema('Fully qualified resource id.'),
      name: textSchema('Resource name.'),
      type: textSchema(`Resource type: ${type}.`),
      systemData: orNull('SystemData', 'Creation and modification metadata.'),
      properties: ref(properties),
    },
  };
}

function alertSchemas(namespace: string): Record<string, Schema> {
  const properties: Record<string, Schema> = {
    alertConfiguration: orNull('AlertConfiguration', 'The alert configuration.'),
    alertDefinition: orNull('AlertDefinition', 'The alert definition.'),
    alertIncidents: { type: ['array', 'null'], items: ref('AlertIncident'), description: 'Incidents of the alert.' },
    incidentCount: int32('Number of generated incidents.'),
    isActive: { type: 'boolean', default: false, description: 'True if the alert is active.' },
    lastModifiedDateTime: time('When the configuration was updated or new incidents were generated.'),
    lastScannedDateTime: time('When the alert was last scanned.'),
    scope: textSchema('The alert scope, without a leading slash.'),
  };
  const required = Object.keys(properties);
  return {
    Alert: resource(`${namespace}/roleManagementAlerts`, 'A role-management alert (section 2.2).', 'AlertProperties', [
      'properties',
    ]),
    AlertProperties: { type: 'object', required, properties },
  };
}

function configurationSchemas(namespace: string): Record<string, Schema> {
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

function definitionSchemas(namespace: string): Record<string, Schema> {
  return {
    AlertDefinition: resource(
      `${namespace}/roleManagementAlertDefinitions`,
      'The definition of an alert (section 2.4).',
      'AlertDefinitionProperties',
    ),
    AlertDefinitionProperties: {
      type: 'object',
      properties: {
        description: textSchema('Alert description.'),
        displayName: textSchema('Display name.'),
        howToPrevent: textSchema('Ways to prevent the alert.'),
        isConfigurable: flagSchema('True if the configuration can be configured.'),
        isRemediatable: flagSchema('True if the alert can be remediated.'),
        mitigationSteps: textSchema('Methods to mitigate the alert.'),
        scope: textSchema('Alert scope.'),
        securityImpact: textSchema('Security impact.'),
        severityLevel: openEnum('SeverityLevel', 'Severity.'),
      },
    },
    SeverityLevel: {
      type: 'string',
      enum: ['Low', 'Medium', 'High'],
      description: 'The allowed values of section 2.4.',
    },
  };
}

function incidentSchemas(namespace: string): Record<string, Schema> {
  const assignee = {
    assigneeName: textSchema('Name of the assignee.'),
    assigneeType: textSchema('Type of the assignee, for example User. The contract does not define the values.'),
  };
  return {
    AlertIncident: resource(
      `${namespace}/roleManagementAlerts/alertIncidents`,
      'One finding of a scan; name is the incident id (section 2.5).',
      'AlertIncidentProperties',
    ),
    ...alertVariants({
      union: 'AlertIncidentProperties',
      discriminator: 'alertIncidentType',
      description: 'The members of the variant that alertIncidentType names.',
      common: {},
      shown: {
        TooManyPermanentOwnersAssignedToResourceAlertIncident: assignee,
        TooManyOwnersAssignedToResourceAlertIncident: assignee,
      },
      notShown: { ...assignedOutside, ...duplicateRole },
    }),
  };
}

/** Roles assigned outside the privileged access service. */
const assignedOutside = {
  assigneeDisplayName: textSchema('Assigned outside: display name of the assignee.'),
  assigneeId: textSchema('Assigned outside: id of the assignee.'),
  assigneeUserPrincipalName: textSchema('Assigned outside: user principal name of the assignee.'),
  assignmentActivatedDate: time('Assigned outside: when the assignment was activated.'),
  requestorDisplayName: textSchema('Assigned outside: display name of the requestor.'),
  requestorId: textSchema('Assigned outside: id of the requestor.'),
  requestorUserPrincipalName: textSchema('Assigned outside: user principal name of the requestor.'),
  roleDefinitionId: textSchema('Assigned outside: id of the role definition.'),
  roleDisplayName: textSchema('Assigned outside: display name of the role.'),
  roleTemplateId: textSchema('Assigned outside: id of the role template.'),
};

const duplicateRole = {
  duplicateRoles: textSchema('Duplicate role: the names of the equal roles.'),
  reason: textSchema('Duplicate role: why they are equal.'),
  roleName: textSchema('Duplicate role: name of the role.'),
};
