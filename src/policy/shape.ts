// Checks JSON member by member for its type and a bounded size. It is not a schema: the API server checks patterns and rules
// across members. Unknown members are allowed.
import { isBoolean, isNonEmptyString, isObject, isString, isWholeNumber, ownMember } from '../lib/json-shape.ts';

/** Returns the path of the first invalid member; undefined when all are valid. Never throws. */
export type Shape = (json: unknown, path: string) => string | undefined;

const textLength = 65_536;
const listLength = 10_000;

export const text: Shape = (json, path) => (isNonEmptyString(json) && json.length <= textLength ? undefined : path);

export const anyText: Shape = (json, path) => (json === '' ? undefined : text(json, path));

/** A whole number, at least `least`. */
export const wholeFrom =
  (least: number): Shape =>
  (json, path) =>
    isWholeNumber(json, least) ? undefined : path;

export const flag: Shape = (json, path) => (isBoolean(json) ? undefined : path);

export const oneOf =
  (...words: readonly string[]): Shape =>
  (json, path) =>
    isString(json) && words.includes(json) ? undefined : path;

export const listOf =
  (item: Shape): Shape =>
  (json, path) => {
    if (!Array.isArray(json) || json.length > listLength) return path;
    return firstOf(json, (member: unknown, index) => item(member, `${path}[${index}]`));
  };

/** An object with texts under any names, as labels are. */
export const texts: Shape = (json, path) => {
  if (!isObject(json)) return path;
  return firstOf(Object.values(json), (member) => anyText(member, path));
};

/** An object with required and optional members. Inherited members do not count. */
export const members =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (json, path) => {
    if (!isObject(json)) return path;
    const own = (name: string) => ownMember(json, name);
    return (
      firstOf(Object.entries(required), ([name, shape]) => shape(own(name), `${path}.${name}`)) ??
      firstOf(Object.entries(optional), ([name, shape]) =>
        own(name) === undefined ? undefined : shape(own(name), `${path}.${name}`),
      )
    );
  };

function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const wrong = check(item, index);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
