// The work that one scope causes does not grow with the number of scopes, policies, connections or dismissals elsewhere, and the work
// of a start grows no faster than they do: the whole operator runs in a small and in a large world, and everything that it executes
// is counted, in operations and not in time.
import { describe, expect, it } from 'vitest';

import type { Kind } from './growth/elsewhere.ts';
import type { Grown } from './growth/executed-blocks.ts';
import { grownBetween, measure } from './growth/measure.ts';
import type { Work } from './growth/worker.ts';

const [few, many] = [10, 200];
/** A walk over what is elsewhere runs 190 times more often in the larger world; a binary heap takes a few steps more. */
const least = (many - few) * 0.8;

interface Exception {
  readonly where: RegExp;
  /** Only at that happening. */
  readonly at?: string;
  /** Only with more of them elsewhere. */
  readonly kind?: Kind;
}

const exceptions: readonly Exception[] = [
  // The comparisons of a binary heap: several happenings of many reconciles add up to as many, but grow with the logarithm only.
  { where: /^src\/operator\/queue\/key-queue\.ts:\d+ #delayed$/ },
  // A trial chooses among all scopes of its connection, and its end walks over its work queue.
  {
    where: /^src\/operator\/(queue\/(key|work)-queue|connection\/(runtime|connection-state))\.ts/,
    at: 'lists that fail (401)',
  },
  // The status of the connection contains the ledger, of at most 500 entries. It is compared as a whole, a second after an edit.
  { where: /^src\/(operator\/dismissals\/(ledger|register)|lib\/(json-shape|compare-text))\.ts:/, kind: 'dismissals' },
];

/** Executions of one place for each entry of a ledger that is compared, twice at the longest happening. */
const mostOfEntry = 40;

function isExpected(kind: Kind, name: string, { where, few: before, many: after }: Grown): boolean {
  return exceptions.some(
    (exception) =>
      exception.where.test(where) &&
      (exception.at ?? name) === name &&
      (exception.kind ?? kind) === kind &&
      (exception.kind === undefined || after - before <= mostOfEntry * (many - few)),
  );
}

/** The happenings of a kind at which something elsewhere is at work itself. */
const atWorkElsewhere: Record<Kind, (work: Work) => boolean> = {
  scopes: () => false,
  // A trial reconciles another scope, with all its policies.
  policies: ({ name }) => name === 'lists that fail (401)',
  connections: () => false,
  // The status of the connection contains the ledger.
  dismissals: ({ connectionWrites }) => connectionWrites > 0,
};

/** Growth beyond the ratio of the worlds, with room for the logarithm of a heap. */
function isMoreThanLinear({ few: before, many: after }: Grown): boolean {
  return after > before * (many / few) * 1.5 + 10 * many;
}

/** Both worlds' work at each happening; the first is the start. */
async function workOf(kind: Kind): Promise<(readonly [Work, Work])[]> {
  const [small, large] = await Promise.all([measure(kind, few), measure(kind, many)]);
  return small.flatMap((before, index) => {
    const after = large[index];
    return after ? [[before, after] as const] : [];
  });
}

describe.each<Kind>(['scopes', 'policies', 'connections', 'dismissals'])('with more %s elsewhere', (kind) => {
  it('what happens to one scope takes the same steps, and a start no more than in proportion', async () => {
    const [[startOfFew, startOfMany] = [], ...pairs] = await workOf(kind);
    // The start reconciles everything, so it shows that the counters find growth, in our loops and in V8's.
    const found = startOfFew && startOfMany ? grownBetween(startOfFew, startOfMany, least) : [];
    expect(found.length).toBeGreaterThan(100);
    expect(found.filter(({ where }) => where.includes('built-in'))).not.toEqual([]);
    // Policies on one scope are compared with each other.
    expect(kind === 'policies' ? [] : found.filter(isMoreThanLinear)).toEqual([]);

    const compared = pairs.filter((pair) => !pair.some(atWorkElsewhere[kind]));
    const names = compared.map(([{ name }]) => name);
    expect(names).toEqual(expect.arrayContaining(['a periodic reconcile', 'a correction', 'an edit']));
    const grown: string[] = [];
    for (const [before, after] of compared) {
      const { name } = before;
      expect([name, after.flags]).toEqual([name, before.flags]);
      // Retries are jittered, so one more or less may fall into the time.
      expect(Math.abs(after.requests - before.requests)).toBeLessThan(5);
      const unexpected = grownBetween(before, after, least).filter((each) => !isExpected(kind, name, each));
      grown.push(...unexpected.map(({ where, ...counts }) => `${name}: ${where} ${counts.few} → ${counts.many}`));
    }
    expect(grown).toEqual([]);
  });
});
