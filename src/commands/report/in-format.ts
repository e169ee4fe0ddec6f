// What a command prints in the format that `--output` names: data for programs, or text for people.
import { stringify } from 'yaml';

import { indentedJson } from '../../lib/json-shape.ts';

/** `text`: for every other format. */
export function inFormat(format: string, data: () => object, text: () => string): string {
  if (format === 'json') return indentedJson(data());
  return format === 'yaml' ? stringify(data()) : text();
}
