// The kinds of members in section 2. Each may be null, because a seed may contain null.
import type { Schema } from './document-types.ts';

export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function orNull(name: string, description: string): Schema {
  return { anyOf: [ref(name), { type: 'null' }], description };
}

export function textSchema(description: string): Schema {
  return { type: ['string', 'null'], description };
}

export function time(description: string): Schema {
  return { type: ['string', 'null'], format: 'date-time', description };
}

export function flagSchema(description: string): Schema {
  return { type: ['boolean', 'null'], description };
}

export function int32(description: string): Schema {
  return { type: ['integer', 'null'], format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1, description };
}

/** Lists the known values and also allows others. */
export function openEnum(name: string, description: string): Schema {
  return { anyOf: [ref(name), { type: ['string', 'null'] }], description: `${description} Tolerate other values.` };
}
