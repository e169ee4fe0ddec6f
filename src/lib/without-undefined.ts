// Drops the members of an object that are undefined.

/** A copy of `object` without its undefined members. */
export function withoutUndefined<T extends object>(object: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
export function withoutUndefined(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, member]) => member !== undefined));
}
