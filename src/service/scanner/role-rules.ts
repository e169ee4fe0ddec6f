// Expands the rules of a Role to a set of single permissions, so that equivalent roles with different rules are equal. Limits: it does
// not know that `*/scale` includes `pods/scale`, or that a URL ending in `*` is a prefix.
import { arrayOf, isObject, isString, type JsonObject } from '../../lib/json-shape.ts';

/** An API group, a resource, an object name and a verb; or a URL and a verb. */
type Permission = readonly string[];

/** Represents any object name. No object can have this name; `*` in resourceNames would be an ordinary name. */
const anyName = '/';

const nameAt = 2;

/** The rules of one object may expand to billions of permissions; beyond this number they are compared unexpanded. */
const expansionLimit = 20_000;

/** The unique permissions in code unit order, without those that a wider permission includes. */
export function permissionsOf(rules: unknown): readonly string[] {
  const known = arrayOf(rules).filter(isObject);
  const factors = known.flatMap(factorsOf);
  const size = factors.reduce((sum, lists) => sum + lists.reduce((product, list) => product * list.length, 1), 0);
  if (size > expansionLimit) return sortedOnce(factors.map((lists) => JSON.stringify(lists)));
  const permissions = new Map(factors.flatMap(multiply).map((each) => [JSON.stringify(each), each]));
  const needed = [...permissions].filter(([, permission]) => !isCovered(permission, permissions));
  return sortedOnce(needed.map(([key]) => key));
}

/** The lists whose product is the permissions of a rule: for resources, for URLs, or both. */
function factorsOf(rule: JsonObject): readonly (readonly (readonly string[])[])[] {
  const verbs = textsOf(rule['verbs']);
  const names = sortedOnce(allTexts(rule['resourceNames']));
  const resources = [
    textsOf(rule['apiGroups']),
    textsOf(rule['resources']),
    names.length > 0 ? names : [anyName],
    verbs,
  ];
  const urls = [textsOf(rule['nonResourceURLs']), verbs];
  return [resources, urls].filter((lists) => lists.every((list) => list.length > 0));
}

/** `*` includes all other values. */
function textsOf(value: unknown): readonly string[] {
  const texts = allTexts(value);
  return texts.includes('*') ? ['*'] : sortedOnce(texts);
}

function allTexts(value: unknown): readonly string[] {
  return arrayOf(value).filter(isString);
}

function multiply(lists: readonly (readonly string[])[]): readonly Permission[] {
  return lists.reduce<readonly Permission[]>(
    (products, list) => products.flatMap((product) => list.map((text) => [...product, text])),
    [[]],
  );
}

/** Whether `all` has a wider permission: one with a wildcard in at least one place. */
function isCovered(permission: Permission, all: ReadonlyMap<string, Permission>): boolean {
  const wider = permission.reduce<readonly Permission[]>(
    (list, text, place) => {
      const widest = permission.length > 2 && place === nameAt ? anyName : '*';
      const choices = text === widest ? [text] : [text, widest];
      return list.flatMap((each) => choices.map((choice) => each.concat(choice)));
    },
    [[]],
  );
  // The first is the permission itself.
  return wider.slice(1).some((each) => all.has(JSON.stringify(each)));
}

function sortedOnce(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
