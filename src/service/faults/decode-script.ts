// A fault script: `seed`, and `rules` with `match`, `limits` and `fault`. Checked in full before any of it counts; every
// problem is named by its path. A rule that could never be met is a problem too: it would look like a client that copes.
import { canonicalScope } from '../../alerts/resource-id.ts';
import { readDocument, refuseProblems } from '../document-text.ts';
import { decodeFault } from './decode-fault.ts';
import {
  itemsOf,
  memberOf,
  note,
  readChoice,
  readFraction,
  readObject,
  readText,
  readWhole,
  type Place,
} from './document-checks.ts';
import { faultKinds, faultRoutes } from './fault-kinds.ts';
import type { FaultLimits, FaultMatch, FaultName, FaultRoute, FaultRule, FaultScript, ScopePattern } from './fault.ts';

const mostRules = 1000;
const mostRequests = 1_000_000_000;
const longestName = 1024;

export interface DecodedScript {
  /** Only what could be read; to be used when there are no problems. */
  readonly script: FaultScript;
  readonly problems: readonly string[];
}

/** YAML or JSON. Throws `OperatorError` `usage` that names the first problems. */
export async function readFaultScript(file: string): Promise<FaultScript> {
  return demandFaultScript(await readDocument('fault script', file), file);
}

/** `source` is what the sentence calls the document. Throws `OperatorError` `usage` that names the first problems. */
export function demandFaultScript(document: unknown, source: string): FaultScript {
  const { script, problems } = decodeFaultScript(document);
  refuseProblems('fault script', source, problems);
  return script;
}

export function decodeFaultScript(document: unknown): DecodedScript {
  const problems: string[] = [];
  const place: Place = { value: document, path: '', problems };
  const given = readObject(place, ['seed', 'rules']);
  const seed = given['seed'] === undefined ? 0 : readWhole(memberOf(place, 'seed'), 0, 2 ** 32 - 1);
  const rules = itemsOf(memberOf(place, 'rules'));
  if (rules.length > mostRules) note(memberOf(place, 'rules'), `must be up to ${mostRules} rules`);
  return { script: { seed, rules: rules.slice(0, mostRules).flatMap(decodeRule) }, problems };
}

function decodeRule(place: Place): readonly FaultRule[] {
  const document = readObject(place, ['match', 'limits', 'fault']);
  const fault = decodeFault(memberOf(place, 'fault'));
  const match = decodeMatch(orEmpty(memberOf(place, 'match')), fault?.kind);
  const limits = decodeLimits(orEmpty(memberOf(place, 'limits')));
  return fault ? [{ match, limits, fault, document }] : [];
}

/** What is left out is the same as an object without members. */
function orEmpty(place: Place): Place {
  return place.value === undefined ? { ...place, value: {} } : place;
}

function decodeMatch(place: Place, fault: FaultName | undefined): FaultMatch {
  const given = readObject(place, ['routes', 'scope', 'alert', 'principal']);
  const possible = fault ? faultKinds[fault].routes : faultRoutes;
  const named = given['routes'] === undefined ? possible : decodeRoutes(memberOf(place, 'routes'), possible, fault);
  const routes = new Set(named.filter((route) => couldMatch(route, given)));
  if (named.length > 0 && routes.size === 0)
    note(
      place,
      'fits no request: only list-alerts and update-alert have a scope and a caller, and only update-alert has an alert',
    );
  return {
    routes,
    ...(given['scope'] !== undefined && { scope: decodeScope(memberOf(place, 'scope')) }),
    ...(given['alert'] !== undefined && { alert: readText(memberOf(place, 'alert'), longestName) }),
    ...(given['principal'] !== undefined && { principal: readText(memberOf(place, 'principal'), longestName) }),
  };
}

function decodeRoutes(
  place: Place,
  possible: readonly FaultRoute[],
  fault: FaultName | undefined,
): readonly FaultRoute[] {
  const items = itemsOf(place);
  if (Array.isArray(place.value) && items.length === 0) note(place, 'must name a route, or be left out');
  return items.flatMap((item) => {
    const route = readChoice(item, faultRoutes);
    if (route && !possible.includes(route)) note(item, `is not a route on which ${fault} can happen`);
    return route ?? [];
  });
}

function couldMatch(route: FaultRoute, match: Readonly<Record<string, unknown>>): boolean {
  if (match['alert'] !== undefined) return route === 'update-alert';
  if (match['scope'] === undefined && match['principal'] === undefined) return true;
  return route === 'list-alerts' || route === 'update-alert';
}

function decodeScope(place: Place): ScopePattern {
  const text = readText(place, longestName);
  const isPrefix = text.endsWith('*');
  const isOpenEnded = isPrefix && text.endsWith('/*');
  const canonical = canonicalScope(isPrefix ? text.slice(0, -1) : text);
  return { text: isOpenEnded && canonical !== '' ? `${canonical}/` : canonical, isPrefix };
}

function decodeLimits(place: Place): FaultLimits {
  const given = readObject(place, ['times', 'after', 'probability']);
  const { times, after, probability } = given;
  return {
    ...(times !== undefined && { times: readWhole(memberOf(place, 'times'), 1, mostRequests) }),
    after: after === undefined ? 0 : readWhole(memberOf(place, 'after'), 0, mostRequests),
    probability: probability === undefined ? 1 : readFraction(memberOf(place, 'probability')),
  };
}
