// What an unknown value of JSON is: the one place that tests its type. The functions `is…` test, and the functions `…Of` read with
// a substitute for a value of another type. No function throws.

/** An object of JSON, not an array. It has the members of `Object.prototype` too; see `ownMember`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const emptyObject: JsonObject = {};

/** Undefined when `text` is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

export function isString(json: unknown): json is string {
  return typeof json === 'string';
}

export function isNonEmptyString(json: unknown): json is string {
  return isString(json) && json !== '';
}

export function isBoolean(json: unknown): json is boolean {
  return typeof json === 'boolean';
}

/** Both limits are included. */
export function isWholeNumber(json: unknown, least = 0, most = Number.MAX_SAFE_INTEGER): json is number {
  return typeof json === 'number' && Number.isSafeInteger(json) && json >= least && json <= most;
}

export function isPositiveNumber(json: unknown): json is number {
  return typeof json === 'number' && json > 0;
}

/** Whether `json` has at most `depth` levels of nesting. */
export function isNoDeeperThan(depth: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return true;
  if (depth <= 0) return false;
  return Object.values(json).every((member) => isNoDeeperThan(depth - 1, member));
}

/** The object itself, or an empty one. */
export function objectOf(json: unknown): JsonObject {
  return isObject(json) ? json : emptyObject;
}

/** The array itself, or an empty one. */
export function arrayOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : [];
}

export function stringOf(json: unknown): string | undefined {
  return isString(json) ? json : undefined;
}

export function nonEmptyStringOf(json: unknown): string | undefined {
  return isNonEmptyString(json) ? json : undefined;
}

export function numberOf(json: unknown): number | undefined {
  return typeof json === 'number' ? json : undefined;
}

export function booleanOf(json: unknown): boolean | undefined {
  return isBoolean(json) ? json : undefined;
}

/** The member of that name; undefined when it is absent or inherited, such as `constructor`. */
export function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
