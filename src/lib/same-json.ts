// Compares two JSON values. Members that are undefined count as absent, and the order of members does not matter.
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const a = definedMembers(left);
  const b = new Map(definedMembers(right));
  return a.length === b.size && a.every(([key, value]) => b.has(key) && isSameJson(value, b.get(key)));
}

function definedMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
