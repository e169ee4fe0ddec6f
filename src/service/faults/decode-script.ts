// Parses a fault script: `seed`, and `rules` with `match`, `limits` and `fault`. It is checked as a whole before it takes effect,
// and every problem names its path. A rule that can match no request is a problem too, because a test with it would prove nothing.
import { canonicalScope } from '../../alerts/resource-id.ts';
import { trimEndOf } from '../../lib/clean-text.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { readDocument } from '../config-files/read.ts';
import {
  check,
  checked,
  like,
  list,
  object,
  oneOf,
  refine,
  requireShape,
  whole,
  type Checked,
  type MeaningOf,
  type ValueShape,
} from '../config-files/shape.ts';
import { nameProblem, scopeProblem } from '../http/resource-path.ts';
import { fault, shortText } from './decode-fault.ts';
import { faultRoutes, routesOfFault } from './fault-routes.ts';
import type { FaultRoute, FaultRule, FaultScript, ScopePattern } from './fault.ts';

const mostRules = 1000;
const mostRequests = 1_000_000_000;

/** Reads YAML or JSON. Throws `UsageError` with the first problems. */
export async function readFaultScript(file: string): Promise<FaultScript> {
  return requireFaultScript(await readDocument('fault script', file), file);
}

/** `source` names the document in the message. Throws `UsageError` with the first problems. */
export function requireFaultScript(document: unknown, source: string): FaultScript {
  return requireShape('fault script', source, decodeFaultScript(document));
}

export function decodeFaultScript(document: unknown): Checked<FaultScript> {
  return check(document, script);
}

const scope = refine(shortText, (text, note): ScopePattern => {
  const isPrefix = text.endsWith('*');
  const canonical = canonicalScope(isPrefix ? text.slice(0, -1) : text);
  const problem = isPrefix ? undefined : unmatched(scopeProblem(canonical));
  if (problem !== undefined) note(problem);
  return { text: text.endsWith('/*') && canonical !== '' ? `${canonical}/` : canonical, isPrefix };
});

const alert = checked(shortText, (name) => unmatched(nameProblem(name, 'alert name')));

function unmatched(problem: string | undefined): string | undefined {
  return problem && `matches no request: ${trimEndOf(problem, '.')}`;
}

const match = object({}, { routes: list(oneOf(faultRoutes), 1), scope, alert, principal: shortText });

const isFraction = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1;
const limits = object(
  {},
  {
    times: whole(1, mostRequests),
    after: whole(0, mostRequests),
    probability: like(isFraction, 'must be a number from 0 to 1'),
  },
);

const rule = refine(object({ fault }, { match, limits }), (given, note) => {
  const { kind } = given.fault;
  const possible = routesOfFault[kind];
  const { routes: named = possible, ...rest } = given.match ?? {};
  for (const [index, route] of named.entries()) {
    if (!possible.includes(route)) note(`is not a route that ${kind} applies to`, `match.routes[${index}]`);
  }
  const routes = new Set(named.filter((route) => couldMatch(route, rest)));
  if (routes.size === 0) {
    const having =
      rest.alert === undefined ? 'list-alerts and update-alert have a scope and a caller' : 'update-alert has an alert';
    note(`matches no request: only ${having}`, 'match');
  }
  return { fault: given.fault, match: { ...rest, routes }, limits: { after: 0, probability: 1, ...given.limits } };
});

/** The rule with its document. */
const documented: ValueShape<FaultRule> = (document, ...place) => {
  const decoded = rule(document, ...place);
  return decoded && { ...decoded, document: document as JsonObject };
};

const script = refine(
  object({ rules: list(documented, 0, mostRules) }, { seed: whole(0, 2 ** 32 - 1) }),
  ({ seed = 0, rules }) => ({ seed, rules }),
);

function couldMatch(route: FaultRoute, { alert, scope, principal }: Omit<MeaningOf<typeof match>, 'routes'>): boolean {
  if (alert !== undefined) return route === 'update-alert';
  if (scope === undefined && principal === undefined) return true;
  return route === 'list-alerts' || route === 'update-alert';
}
