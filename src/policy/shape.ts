// Checks JSON member by member for its type and a bounded size. It is not a schema: the API server checks patterns and rules
// across members. Unknown members are allowed.
import {
  isBoolean,
  isNonEmptyString,
  isObject,
  isString,
  isWholeNumber,
  type JsonObject,
  ownMember,
} from '../lib/json-shape.ts';

/**
 * Returns the path from `json` to the first invalid member, '' when that is `json` itself; undefined when all are valid.
 * Never throws. The path is put together only on the way back from an invalid member: every version of every object is
 * checked, and nearly all are valid.
 */
export type Shape = (json: unknown) => string | undefined;

const textLength = 65_536;
const listLength = 10_000;

export const text: Shape = (json) => (isNonEmptyString(json) && json.length <= textLength ? undefined : '');

export const anyText: Shape = (json) => (json === '' ? undefined : text(json));

/** A whole number, at least `least`. */
export const wholeFrom =
  (least: number): Shape =>
  (json) =>
    isWholeNumber(json, least) ? undefined : '';

/** Whatever the value: the member must not be there. */
export const absent: Shape = () => '';

export const flag: Shape = (json) => (isBoolean(json) ? undefined : '');

export const oneOf =
  (...words: readonly string[]): Shape =>
  (json) =>
    isString(json) && words.includes(json) ? undefined : '';

export const listOf =
  (item: Shape): Shape =>
  (json) => {
    if (!Array.isArray(json) || json.length > listLength) return '';
    for (const [index, each] of json.entries()) {
      const wrong = item(each);
      if (wrong !== undefined) return `[${index}]${wrong}`;
    }
    return undefined;
  };

/** An object with texts under any names, as labels are. */
export const texts: Shape = (json) => {
  if (!isObject(json)) return '';
  return Object.values(json).every((member) => anyText(member) === undefined) ? undefined : '';
};

/** An object with required and optional members. Inherited members do not count. */
export function members(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const all = [...membersOf(required, true), ...membersOf(optional, false)];
  return (json) => {
    if (!isObject(json)) return '';
    for (const member of all) {
      const wrong = member(json);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** For each member: the path to what is wrong with it. */
function membersOf(
  shapes: Readonly<Record<string, Shape>>,
  isRequired: boolean,
): ((object: JsonObject) => string | undefined)[] {
  return Object.entries(shapes).map(([name, shape]) => (object) => {
    const value = ownMember(object, name);
    const wrong = value === undefined && !isRequired ? undefined : shape(value);
    return wrong === undefined ? undefined : `.${name}${wrong}`;
  });
}
