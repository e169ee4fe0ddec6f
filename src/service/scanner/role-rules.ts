// The rules of a Role as the set of single permissions that they give, so that two roles that say the same in different
// words are equal. Not understood: `*/scale` beside `pods/scale`, and URLs that end in `*`; they are taken as they stand.
import type { JsonObject } from '../alerts/alert-document.ts';
import { isObject } from '../alerts/alert-shape.ts';

/** A group, a resource, a name of an object and a verb; or a URL and a verb. */
type Permission = readonly string[];

/** Instead of the name of an object: any. No object can have it; a star among the names is a name. */
const anyName = '/';

const nameAt = 2;

/** Rules of one object may multiply to billions; beyond this many permissions they are compared as they are written. */
const expansionLimit = 20_000;

/** Each permission once, in code unit order, without those that a wider one gives. */
export function permissionsOf(rules: unknown): readonly string[] {
  const known = Array.isArray(rules) ? rules.filter(isObject) : [];
  const factors = known.flatMap(factorsOf);
  const size = factors.reduce((sum, lists) => sum + lists.reduce((product, list) => product * list.length, 1), 0);
  if (size > expansionLimit) return sortedOnce(factors.map((lists) => JSON.stringify(lists)));
  const permissions = new Map(factors.flatMap(multiply).map((each) => [JSON.stringify(each), each]));
  const needed = [...permissions].filter(([, permission]) => !isCovered(permission, permissions));
  return sortedOnce(needed.map(([key]) => key));
}

/** The lists whose product a rule gives: for resources, for URLs, or both. */
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

/** A star says all that the others say. */
function textsOf(value: unknown): readonly string[] {
  const texts = allTexts(value);
  return texts.includes('*') ? ['*'] : sortedOnce(texts);
}

function allTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function multiply(lists: readonly (readonly string[])[]): readonly Permission[] {
  return lists.reduce<readonly Permission[]>(
    (products, list) => products.flatMap((product) => list.map((text) => [...product, text])),
    [[]],
  );
}

/** One of the same length that says any in some places is there, too. */
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
