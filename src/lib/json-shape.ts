// What an unknown value of JSON is: the one place that tests its type. The functions `is…` test, and the functions `…Of` read with
// a substitute for a value of another type. No function throws. And whether two values are equal, and their text for people.

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

/**
 * Compares two JSON values. Members of objects that are undefined count as absent, and the order of members does not matter. Every
 * reconcile and every watch event of an own write compares whole statuses, so it allocates nothing: `for … in` visits the names without
 * making a list of them.
 */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && isSameList(left, right);
  return isObject(left) && isObject(right) && isSameObject(left, right);
}

function isSameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((member, index) => isSameJson(member, right[index]));
}

function isSameObject(left: JsonObject, right: JsonObject): boolean {
  let unmatched = 0;
  for (const name in right) if (right[name] !== undefined) unmatched++;
  for (const name in left) {
    const member = left[name];
    if (member === undefined) continue;
    if (!Object.hasOwn(right, name) || !isSameJson(member, right[name])) return false;
    unmatched--;
  }
  return unmatched === 0;
}

/** JSON that a person may read as well: indented by two blanks, with a line break at its end. */
export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A copy of `object` without its undefined members. */
export function withoutUndefined<T extends object>(object: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
export function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, member]) => member !== undefined));
}
