// The schemas of an incident: a resource whose discriminator names its variant (section 2.5).
import type { Schema } from './document-types.ts';
import { resource } from './resource.ts';
import { alertVariants } from './variants.ts';
import { textSchema, time } from './vocabulary.ts';

export function incidentSchemas(namespace: string): Record<string, Schema> {
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
