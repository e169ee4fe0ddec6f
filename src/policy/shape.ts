// Checks JSON against the part of a JSON Schema on which our types rely: types, words, least values and required members. The API
// server checks the rest. Unknown members are allowed.
import { isBoolean, isObject, isString, isWholeNumber, type JsonObject, ownMember } from '../lib/json-shape.ts';

/** The keywords mean what they mean in a JSON Schema; an integer is a safe one. */
export interface Shape {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly minimum?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape;
}

/**
 * The path from `json` to the first invalid member, '' when that is `json` itself; undefined when all are valid. Never throws. The path
 * is put together only on the way back from an invalid member: every version of every object is checked, and nearly all are valid.
 */
export function wrongMember(shape: Shape, json: unknown): string | undefined {
  switch (shape.type) {
    case 'object':
      return isObject(json) ? wrongOf(shape, json) : '';
    case 'array':
      return Array.isArray(json) ? wrongItem(shape.items, json) : '';
    default:
      return isValid(shape, json) ? undefined : '';
  }
}

function wrongOf({ properties, required, additionalProperties }: Shape, object: JsonObject): string | undefined {
  for (const name in properties) {
    const member = properties[name];
    const value = ownMember(object, name);
    const isAbsent = value === undefined && !required?.includes(name);
    const wrong = isAbsent || !member ? undefined : wrongMember(member, value);
    if (wrong !== undefined) return `.${name}${wrong}`;
  }
  if (!additionalProperties) return undefined;
  return Object.values(object).every((value) => isValid(additionalProperties, value)) ? undefined : '';
}

function wrongItem(shape: Shape | undefined, list: readonly unknown[]): string | undefined {
  for (const [index, item] of list.entries()) {
    const wrong = shape && wrongMember(shape, item);
    if (wrong !== undefined) return `[${index}]${wrong}`;
  }
  return undefined;
}

function isValid({ type, enum: words, minLength = 0, minimum }: Shape, json: unknown): boolean {
  if (type === 'boolean') return isBoolean(json);
  if (type === 'integer') return isWholeNumber(json, minimum);
  return isString(json) && (words?.includes(json) ?? json.length >= minLength);
}
