// What this version decides on recorded plans, compared with what was decided then. The same difference at several times counts as one,
// because a controller plans a scope again at every interval.
import { messageOf } from '../../lib/errors.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { plan } from '../../operator/decide/plan.ts';
import {
  type Fact,
  type FactDifference,
  factDifferences,
  planFacts,
  type PlanRecord,
  sortDifferences,
} from '../../operator/report/facts.ts';

/** A difference, and the plans in which it occurs. Times are RFC 3339, in UTC. */
export interface ReplayDifference extends FactDifference {
  readonly connection: string;
  readonly scope: string;
  readonly plans: number;
  readonly first: string;
  readonly last: string;
}

export interface ReplayReport {
  readonly plans: number;
  readonly differingPlans: number;
  /** The versions that recorded. */
  readonly programs: readonly string[];
  /** Undefined when no plan could be read. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly differences: readonly ReplayDifference[];
  readonly unreadableRecords: number;
  /** The first of them: sentences without a full stop, each with the file and the line. */
  readonly unreadable: readonly string[];
}

/** How many unreadable records a report names. */
const namedUnreadable = 20;

/** Collects a report, record by record, so that a recording of any size fits into memory. */
export class Replay {
  readonly #differences = new Map<string, ReplayDifference>();
  readonly #programs = new Set<string>();
  readonly #unreadable: string[] = [];
  #plans = 0;
  #differing = 0;
  #unreadableRecords = 0;
  #first: string | undefined;
  #last: string | undefined;

  /** Why this version cannot plan the record, without a full stop; undefined when it can. */
  add(record: PlanRecord): string | undefined {
    try {
      this.#compare(record, planFacts(plan(record.input)));
      return undefined;
    } catch (error) {
      // A bug, or a record that no controller has written.
      return `this version cannot plan it (${messageOf(error)})`;
    }
  }

  #compare(record: PlanRecord, decided: readonly Fact[]): void {
    const { input, facts, program } = record;
    const at = formatTimestamp(input.nowMs);
    this.#plans++;
    this.#programs.add(program);
    this.#first = earlier(this.#first, at);
    this.#last = later(this.#last, at);
    const differences = factDifferences(facts, decided);
    if (differences.length > 0) this.#differing++;
    for (const difference of differences) this.#count(record, difference, at);
  }

  addUnreadable(sentence: string): void {
    this.#unreadableRecords++;
    if (this.#unreadable.length < namedUnreadable) this.#unreadable.push(sentence);
  }

  report(): ReplayReport {
    return {
      plans: this.#plans,
      differingPlans: this.#differing,
      programs: [...this.#programs].sort(),
      first: this.#first,
      last: this.#last,
      differences: sortDifferences([...this.#differences.values()]),
      unreadableRecords: this.#unreadableRecords,
      unreadable: this.#unreadable,
    };
  }

  #count({ connection, scope }: PlanRecord, difference: FactDifference, at: string): void {
    const key = JSON.stringify([connection, scope, difference]);
    const known = this.#differences.get(key) ?? { connection, scope, ...difference, plans: 0, first: at, last: at };
    const { plans, first, last } = known;
    this.#differences.set(key, { ...known, plans: plans + 1, first: earlier(first, at), last: later(last, at) });
  }
}

function earlier(known: string | undefined, at: string): string {
  return known !== undefined && known < at ? known : at;
}

function later(known: string | undefined, at: string): string {
  return known !== undefined && known > at ? known : at;
}

/** True for a PATCH that only this version would send, and that switches an alert off. */
export function isNewDeactivation({ kind, before = '', now = '' }: FactDifference): boolean {
  return kind === 'Action' && now.startsWith('deactivate') && !before.startsWith('deactivate');
}
