// Selects the fault of a request: the first matching rule with remaining quota, plus the delays of the latency rules before it. A
// rule depends only on the seed, its position and its earlier matching requests.
import { canonicalName, canonicalScope, sameName } from '../../alerts/resource-id.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { seededRandom, type Random } from '../../lib/random.ts';
import type { FaultMatch, FaultRoute, FaultRule, FaultScript } from './fault.ts';

/** The properties of a request that rules match. */
export interface FaultFacts {
  readonly route: FaultRoute;
  readonly scope?: string;
  readonly alert?: string;
  /** Absent for an unknown caller, and when no rule needs it. */
  readonly principal?: string;
}

/** The faults of a request: a rule, a delay, or both. */
export interface Chosen {
  /** Index of the rule in the script; absent for latency alone. */
  readonly index?: number;
  /** Sum of the latencies, in milliseconds. */
  readonly delayMs: number;
}

/** A rule as written, with its number of matching requests and of injected faults. */
export interface RuleReport extends JsonObject {
  readonly matched: number;
  readonly met: number;
}

export interface FaultChooser {
  /** Counts the request. Undefined without a fault. */
  choose(facts: FaultFacts): Chosen | undefined;
  /** One report for each rule, in order. */
  report(): readonly RuleReport[];
}

export function createFaultChooser({ seed, rules }: FaultScript): FaultChooser {
  const seeds = seededRandom(seed);
  const states = rules.map((rule) => createState(rule, seededRandom(seeds.next() * 2 ** 32)));
  return {
    choose(facts) {
      let delayMs: number | undefined;
      for (const [index, { rule, random, meets }] of states.entries()) {
        if (!fits(rule.match, facts) || !meets()) continue;
        if (rule.fault.kind !== 'latency') return { index, delayMs: delayMs ?? 0 };
        const { minMs, maxMs } = rule.fault;
        delayMs = (delayMs ?? 0) + minMs + Math.floor(random.next() * (maxMs - minMs + 1));
      }
      return delayMs === undefined ? undefined : { delayMs };
    },
    report: () => states.map(({ report }) => report()),
  };
}

export function fits(match: FaultMatch, { route, scope, alert, principal }: FaultFacts): boolean {
  if (!match.routes.has(route)) return false;
  if (match.alert !== undefined && (alert === undefined || !sameName(match.alert, alert))) return false;
  if (match.principal !== undefined && match.principal !== principal) return false;
  if (match.scope === undefined) return true;
  if (scope === undefined) return false;
  const { text, isPrefix } = match.scope;
  return isPrefix ? canonicalName(scope).startsWith(text) : canonicalScope(scope) === text;
}

interface RuleState {
  readonly rule: FaultRule;
  readonly random: Random;
  /** Counts a matching request; true when the fault applies to it. */
  readonly meets: () => boolean;
  readonly report: () => RuleReport;
}

function createState(rule: FaultRule, random: Random): RuleState {
  const { times = Infinity, after, probability } = rule.limits;
  let [matched, met] = [0, 0];
  const meets = () => {
    matched += 1;
    if (matched <= after || met >= times || random.next() >= probability) return false;
    met += 1;
    return true;
  };
  return { rule, random, meets, report: () => ({ ...rule.document, matched, met }) };
}
