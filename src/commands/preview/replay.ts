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
} from '../../operator/report/plan-facts.ts';

/** RFC 3339, in UTC. */
interface Times {
  readonly first: string;
  readonly last: string;
}

/** A difference, and the plans in which it occurs. */
export interface ReplayDifference extends FactDifference, Times {
  readonly connection: string;
  readonly scope: string;
  readonly plans: number;
}

/** As `-o json` prints it: within a version members may be added, never renamed or removed. */
export interface ReplayReport {
  readonly apiVersion: 'cli.rolealerts.dev/v1';
  readonly kind: 'ReplayReport';
  /** The versions that recorded. */
  readonly recordedBy: readonly string[];
  readonly replayedBy: string;
  /** Undefined when no plan could be read. */
  readonly first: string | undefined;
  readonly last: string | undefined;
  readonly totals: {
    readonly plans: number;
    readonly differingPlans: number;
    readonly differences: number;
    readonly newDeactivations: number;
    readonly unreadableRecords: number;
  };
  readonly differences: readonly ReplayDifference[];
  /** The first records that could not be read: sentences without a full stop, each with the file and the line. */
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
  #times: Times | undefined;

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
    this.#times = including(this.#times, at);
    const differences = factDifferences(facts, decided);
    if (differences.length > 0) this.#differing++;
    for (const difference of differences) this.#count(record, difference, at);
  }

  addUnreadable(sentence: string): void {
    this.#unreadableRecords++;
    if (this.#unreadable.length < namedUnreadable) this.#unreadable.push(sentence);
  }

  /** `replayedBy`: the version of this program. */
  report(replayedBy: string): ReplayReport {
    const differences = sortDifferences([...this.#differences.values()]);
    return {
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'ReplayReport',
      recordedBy: [...this.#programs].sort(),
      replayedBy,
      first: this.#times?.first,
      last: this.#times?.last,
      totals: {
        plans: this.#plans,
        differingPlans: this.#differing,
        differences: differences.length,
        newDeactivations: differences.filter(isNewDeactivation).length,
        unreadableRecords: this.#unreadableRecords,
      },
      differences,
      unreadable: this.#unreadable,
    };
  }

  #count({ connection, scope }: PlanRecord, difference: FactDifference, at: string): void {
    const key = JSON.stringify([connection, scope, difference]);
    const known = this.#differences.get(key) ?? { connection, scope, ...difference, plans: 0, first: at, last: at };
    this.#differences.set(key, { ...known, plans: known.plans + 1, ...including(known, at) });
  }
}

function including(known: Times | undefined, at: string): Times {
  const { first, last } = known ?? { first: at, last: at };
  return { first: at < first ? at : first, last: at > last ? at : last };
}

/** True for a PATCH that only this version would send, and that switches an alert off. */
export function isNewDeactivation({ kind, before = '', now = '' }: FactDifference): boolean {
  return kind === 'Action' && now.startsWith('deactivate') && !before.startsWith('deactivate');
}
