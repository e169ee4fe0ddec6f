// The members that every resource of section 2 has.
import type { Schema } from './document-types.ts';
import { orNull, ref, textSchema } from './vocabulary.ts';

/** A resource of section 2.1 with its `properties`. */
export function resource(
  type: string,
  description: string,
  properties: string,
  required: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    description,
    ...(required.length > 0 ? { required } : {}),
    properties: {
      id: textSchema('Fully qualified resource id.'),
      name: textSchema('Resource name.'),
      type: textSchema(`Resource type: ${type}.`),
      systemData: orNull('SystemData', 'Creation and modification metadata.'),
      // An alert has its flag there.
      properties: required.includes('properties')
        ? ref(properties)
        : orNull(properties, 'The members of the resource.'),
    },
  };
}
