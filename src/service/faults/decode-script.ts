// Parses a fault script: `seed`, and `rules` with `match`, `limits` and `fault`. It is checked as a whole before it takes effect,
// and every problem names its path. A rule that can match no request is a problem too, because a test with it would prove nothing.
import { canonicalScope } from '../../alerts/resource-id.ts';
import { trimEndOf } from '../../lib/trim-ends.ts';
import {
  note,
  openFields,
  openList,
  openMember,
  readFraction,
  readTexts,
  readWhole,
  type Fields,
} from '../config-files/fields.ts';
import { readDocument, refuseProblems } from '../config-files/read.ts';
import { nameProblem, scopeProblem } from '../http/resource-path.ts';
import { decodeFault, shortText } from './decode-fault.ts';
import { faultKinds, faultRoutes } from './fault-kinds.ts';
import type { FaultLimits, FaultMatch, FaultName, FaultRoute, FaultRule, FaultScript, ScopePattern } from './fault.ts';

const mostRules = 1000;
const mostRequests = 1_000_000_000;

export interface DecodedScript {
  /** Complete only if there are no problems. */
  readonly script: FaultScript;
  readonly problems: readonly string[];
}

/** Reads YAML or JSON. Throws `UsageError` with the first problems. */
export async function readFaultScript(file: string): Promise<FaultScript> {
  return requireFaultScript(await readDocument('fault script', file), file);
}

/** `source` names the document in the message. Throws `UsageError` with the first problems. */
export function requireFaultScript(document: unknown, source: string): FaultScript {
  const { script, problems } = decodeFaultScript(document);
  refuseProblems('fault script', source, problems);
  return script;
}

export function decodeFaultScript(document: unknown): DecodedScript {
  const problems: string[] = [];
  const script = openFields(document ?? null, { path: '', problems, known: ['seed', 'rules'] });
  const seed = readWhole(script, 'seed', 2 ** 32 - 1) ?? 0;
  if ((script.object['rules'] ?? undefined) === undefined) note(script, 'rules', 'must be a list');
  const rules = openList(script, 'rules', ['match', 'limits', 'fault']);
  if (rules.length > mostRules) note(script, 'rules', `must be up to ${mostRules} rules`);
  return { script: { seed, rules: rules.slice(0, mostRules).flatMap(decodeRule) }, problems };
}

function decodeRule(rule: Fields): readonly FaultRule[] {
  const fault = decodeFault(rule);
  const match = decodeMatch(rule, fault?.kind);
  const limits = decodeLimits(openMember(rule, 'limits', ['times', 'after', 'probability']));
  return fault ? [{ match, limits, fault, document: rule.object }] : [];
}

function decodeMatch(rule: Fields, fault: FaultName | undefined): FaultMatch {
  const match = openMember(rule, 'match', ['routes', 'scope', 'alert', 'principal']);
  const { scope, alert, principal } = match.object;
  const named = decodeRoutes(match, fault);
  const routes = new Set(named.filter((route) => couldMatch(route, match)));
  if (named.length > 0 && routes.size === 0) {
    const having =
      alert === undefined ? 'list-alerts and update-alert have a scope and a caller' : 'update-alert has an alert';
    note(rule, 'match', `matches no request: only ${having}`);
  }
  return {
    routes,
    ...(scope !== undefined && { scope: decodeScope(match) }),
    ...(alert !== undefined && { alert: decodeAlert(match) }),
    ...(principal !== undefined && { principal: shortText(match, 'principal') }),
  };
}

/** Default: every route that the fault applies to. */
function decodeRoutes(match: Fields, fault: FaultName | undefined): readonly FaultRoute[] {
  const possible = fault ? faultKinds[fault].routes : faultRoutes;
  const names = readTexts(match, 'routes');
  if (names?.length === 0) note(match, 'routes', 'must name a route, or be absent');
  return (names ?? possible).flatMap((name, index) => {
    const route = faultRoutes.find((known) => known === name);
    if (route === undefined) note(match, `routes[${index}]`, `must be one of ${faultRoutes.join(', ')}`);
    else if (!possible.includes(route)) note(match, `routes[${index}]`, `is not a route that ${fault} applies to`);
    return route ?? [];
  });
}

function couldMatch(route: FaultRoute, { object: { alert, scope, principal } }: Fields): boolean {
  if (alert !== undefined) return route === 'update-alert';
  if (scope === undefined && principal === undefined) return true;
  return route === 'list-alerts' || route === 'update-alert';
}

function decodeAlert(match: Fields): string {
  const alert = shortText(match, 'alert');
  noteFitsNothing(match, 'alert', nameProblem(alert, 'alert name'));
  return alert;
}

function decodeScope(match: Fields): ScopePattern {
  const text = shortText(match, 'scope');
  if (!text.endsWith('*')) {
    noteFitsNothing(match, 'scope', scopeProblem(canonicalScope(text)));
    return { text: canonicalScope(text), isPrefix: false };
  }
  const canonical = canonicalScope(text.slice(0, -1));
  const isBelow = text.endsWith('/*') && canonical !== '';
  return { text: isBelow ? `${canonical}/` : canonical, isPrefix: true };
}

function noteFitsNothing(match: Fields, name: string, problem: string | undefined): void {
  if (problem) note(match, name, `matches no request: ${trimEndOf(problem, '.')}`);
}

function decodeLimits(limits: Fields): FaultLimits {
  const times = readWhole(limits, 'times', mostRequests, 1);
  return {
    ...(times !== undefined && { times }),
    after: readWhole(limits, 'after', mostRequests) ?? 0,
    probability: readFraction(limits, 'probability') ?? 1,
  };
}
