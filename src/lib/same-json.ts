// Compares two JSON values. Members of objects that are undefined count as absent, and the order of members does not
// matter. Every reconcile and every watch event of an own write compares whole statuses, so it allocates nothing: `for … in`
// visits the names without making a list of them.
import { isObject, type JsonObject } from './json-shape.ts';

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
