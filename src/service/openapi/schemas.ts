// Section 2 as JSON Schema, true to what is returned: what alert-shape.ts lets into the store comes out again. So null is
// possible wherever it passes there, members that section 2 does not name are possible everywhere, and the values of the
// enumerations and discriminators are named without being the only ones. Times are text whose format nobody checked.
import type { Schema } from './document-types.ts';
import { alertVariants } from './variants.ts';
import { flag, int32, orNull, ref, text, time } from './vocabulary.ts';

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
        'Link to the next page of items, on the origin that this request was sent to; absent on the last page. To be followed as it is.',
    },
  },
};

/** Everything a body may have: other members are refused, because a wrong reading silences an alert. */
const alertUpdate: Schema = {
  type: 'object',
  description: 'What an update changes: the active flag, and nothing else (section 4.2). No member may be repeated.',
  required: ['properties'],
  additionalProperties: false,
  properties: {
    properties: {
      type: 'object',
      required: ['isActive'],
      additionalProperties: false,
      properties: { isActive: { type: 'boolean', description: 'False silences the alert.' } },
    },
  },
  example: { properties: { isActive: true } },
};

const systemData: Schema = {
  type: 'object',
  description: 'Creation and modification metadata (section 2.7). An update that changes the flag keeps it true.',
  properties: {
    createdAt: time('Creation time, UTC.'),
    createdBy: text('Creating identity.'),
    createdByType: openEnum('CreatedByType', 'Type of the creating identity.'),
    lastModifiedAt: time('Last modification time, UTC.'),
    lastModifiedBy: text('Identity of the last modifier.'),
    lastModifiedByType: openEnum('CreatedByType', 'Type of the last modifying identity.'),
  },
};

const errorBody: Schema = {
  type: 'object',
  description: 'Every answer that is no success has this body (sections 2.8 and 7).',
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

/** Allowed values by name, and room for the ones that a client has not heard of. */
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
      id: text('Fully qualified resource id.'),
      name: text('Resource name.'),
      type: text(`Resource type: ${type}.`),
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
    scope: text('The alert scope, without a leading slash.'),
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
    alertDefinitionId: text('Alert definition id; equals the alert name.'),
    isEnabled: flag('True if the alert is enabled; false disables scanning for this alert.'),
    scope: text('The alert scope.'),
  };
  return {
    AlertConfiguration: resource(
      `${namespace}/roleManagementAlertConfigurations`,
      'How an alert is configured (section 2.3).',
      'AlertConfigurationProperties',
    ),
    ...alertVariants({
      union: 'AlertConfigurationProperties',
      discriminator: 'alertConfigurationType',
      description: 'What every variant has, and what the variant that alertConfigurationType names has.',
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
      'What an alert is about (section 2.4).',
      'AlertDefinitionProperties',
    ),
    AlertDefinitionProperties: {
      type: 'object',
      properties: {
        description: text('Alert description.'),
        displayName: text('Display name.'),
        howToPrevent: text('Ways to prevent the alert.'),
        isConfigurable: flag('True if the configuration can be configured.'),
        isRemediatable: flag('True if the alert can be remediated.'),
        mitigationSteps: text('Methods to mitigate the alert.'),
        scope: text('Alert scope.'),
        securityImpact: text('Security impact.'),
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
    assigneeName: text('Name of the assignee.'),
    assigneeType: text('Type of the assignee, for example User. The allowed values are not shown.'),
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
      description: 'What the variant that alertIncidentType names has.',
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
  assigneeDisplayName: text('Assigned outside: display name of the assignee.'),
  assigneeId: text('Assigned outside: id of the assignee.'),
  assigneeUserPrincipalName: text('Assigned outside: user principal name of the assignee.'),
  assignmentActivatedDate: time('Assigned outside: when the assignment was activated.'),
  requestorDisplayName: text('Assigned outside: display name of the requestor.'),
  requestorId: text('Assigned outside: id of the requestor.'),
  requestorUserPrincipalName: text('Assigned outside: user principal name of the requestor.'),
  roleDefinitionId: text('Assigned outside: id of the role definition.'),
  roleDisplayName: text('Assigned outside: display name of the role.'),
  roleTemplateId: text('Assigned outside: id of the role template.'),
};

const duplicateRole = {
  duplicateRoles: text('Duplicate role: the roles that are alike.'),
  reason: text('Duplicate role: why they are alike.'),
  roleName: text('Duplicate role: name of the role.'),
};
