// The shape of JSON, checked member by member: of the right type and of a bounded size, or not. It is no schema: patterns and
// rules across members are the API server's, and members that no shape names are let through.

/** Where the first member stands that is not as it has to be; undefined when all is well. Total: never throws. */
export type Shape = (json: unknown, path: string) => string | undefined;

const textLength = 65_536;
const listLength = 10_000;

export type Members = Readonly<Record<string, unknown>>;

export function isMembers(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

export const text: Shape = (json, path) =>
  typeof json === 'string' && json !== '' && json.length <= textLength ? undefined : path;

export const anyText: Shape = (json, path) => (json === '' ? undefined : text(json, path));

/** A whole number from 0, or from `least`. */
export const wholeFrom =
  (least: number): Shape =>
  (json, path) =>
    Number.isSafeInteger(json) && (json as number) >= least ? undefined : path;

export const flag: Shape = (json, path) => (typeof json === 'boolean' ? undefined : path);

export const oneOf =
  (...words: readonly string[]): Shape =>
  (json, path) =>
    typeof json === 'string' && words.includes(json) ? undefined : path;

export const listOf =
  (item: Shape): Shape =>
  (json, path) => {
    if (!Array.isArray(json) || json.length > listLength) return path;
    return firstOf(json, (member: unknown, index) => item(member, `${path}[${index}]`));
  };

/** Texts by any name, as labels are. */
export const texts: Shape = (json, path) => {
  if (!isMembers(json)) return path;
  return firstOf(Object.values(json), (member) => anyText(member, path));
};

/** Members that must be there, and such as may be absent. Inherited ones do not count. */
export const members =
  (required: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (json, path) => {
    if (!isMembers(json)) return path;
    const own = (name: string) => (Object.hasOwn(json, name) ? json[name] : undefined);
    return (
      firstOf(Object.entries(required), ([name, shape]) => shape(own(name), `${path}.${name}`)) ??
      firstOf(Object.entries(optional), ([name, shape]) =>
        own(name) === undefined ? undefined : shape(own(name), `${path}.${name}`),
      )
    );
  };

/** Whether nothing in it is nested deeper than `depth`. Takes as many steps as it has members. */
export function isNoDeeperThan(depth: number, json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return true;
  return depth > 0 && Object.values(json).every((member) => isNoDeeperThan(depth - 1, member));
}

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
