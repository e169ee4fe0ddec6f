// What a run of many seeds showed, as text.
import { connectionReasons, policyReasons } from '../../src/plan/reasons.ts';
import type { Summary } from './run-many.ts';

/** True when nothing was found. */
export function printSummary(summary: Summary): boolean {
  const { seeds, elapsedMs, events, requests, failed, counts, branches } = summary;
  const perSecond = (seeds / (elapsedMs / 1000)).toFixed(1);
  console.log(
    `${seeds} seeds in ${(elapsedMs / 1000).toFixed(1)} s: ${perSecond} seeds a second, ${events} events, ${requests} requests`,
  );
  printCounts('faults and acts', counts);
  printCounts('decisions', branches);
  printUnseen(branches);
  for (const { seed, mode, violations } of failed.slice(0, 20)) {
    console.log(`\nseed ${seed} failed; again: npm run simulate -- --seed ${seed} --mode ${mode}`);
    for (const { oracle, atMs, what } of violations.slice(0, 3))
      console.log(`  ${oracle} (at ${Math.round(atMs)} ms)\n    ${what.slice(0, 600)}`);
  }
  console.log(`\n${seeds - failed.length} seeds passed, ${failed.length} failed`);
  return failed.length === 0;
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}:`);
  for (const [name, number] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${String(number).padStart(8)}  ${name}`);
}

/** Reasons that no run came to: what the simulation does not show. */
function printUnseen(branches: ReadonlyMap<string, number>): void {
  const seen = [...branches.keys()];
  const unseen = [...Object.keys(policyReasons), ...Object.keys(connectionReasons)].filter(
    (reason) => !seen.some((name) => name.endsWith(`: ${reason}`)),
  );
  const reasons = new Set([...Object.keys(policyReasons), ...Object.keys(connectionReasons)]).size;
  console.log(
    `\nreasons seen: ${reasons - new Set(unseen).size} of ${reasons}; never: ${[...new Set(unseen)].join(', ') || 'none'}`,
  );
}
