// Section 2 as JSON Schema for every possible response: the service returns what alert-shape.ts accepts. So null is allowed
// wherever alert-shape.ts accepts it, members that section 2 does not define are allowed everywhere, and enumerations and
// discriminators list their values but allow others. The format of times is unchecked.
import { alertSchemas, definitionSchemas } from './alert-schemas.ts';
import { alertListResult, alertUpdate, errorSchema } from './body-schemas.ts';
import { configurationSchemas } from './configuration-schemas.ts';
import type { Schema } from './document-types.ts';
import { incidentSchemas } from './incident-schemas.ts';
import { textSchema, time, openEnum } from './vocabulary.ts';

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
    ErrorBody: errorSchema,
  };
}

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
