// The schemas of an alert and its definition, the resources without variants (sections 2.2 and 2.4).
import type { Schema } from './document-types.ts';
import { resource } from './resource.ts';
import { flagSchema, int32, orNull, ref, textSchema, time, openEnum } from './vocabulary.ts';

export function alertSchemas(namespace: string): Record<string, Schema> {
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

export function definitionSchemas(namespace: string): Record<string, Schema> {
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
