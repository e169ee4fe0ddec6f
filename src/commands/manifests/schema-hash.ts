// Identifies the schema of a CRD, so that two programs can compare theirs: everything in it except the descriptions.
import { createHash } from 'node:crypto';

import { isObject } from '../../lib/json-shape.ts';

/** 12 hexadecimal digits. The order of members does not count. */
export function schemaHash(schema: unknown): string {
  return createHash('sha256').update(JSON.stringify(schema, canonical)).digest('hex').slice(0, 12);
}

/** A property may be called `description`; a keyword with a text is the description of a schema. */
function canonical(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => key !== 'description' || isObject(member));
  return members.sort(([left], [right]) => (left < right ? -1 : 1));
}
