// The report of a run of many seeds.
import { capacityReasons, connectionReasons, policyReasons } from '../../src/operator/reasons/reasons.ts';
import { kubeFaults } from './faults/kube-faults.ts';
import { lastingKinds } from './faults/lasting-faults.ts';
import { serviceFaults } from './faults/service-faults.ts';
import type { Summary } from './run-many.ts';
import { actions } from './scenarios/actions.ts';
import { storyNames } from './scenarios/stories.ts';
import { traitNames } from './scenarios/traits.ts';

/** True when nothing was found. */
export function printSummary(summary: Summary): boolean {
  const { seeds, elapsedMs, events, requests, failed, counts } = summary;
  printCounts(counts);
  printNever(counts);
  for (const { seed, mode, violations } of failed.slice(0, 20)) {
    console.log(`\nseed ${seed} failed; again: npm run simulate -- --seed ${seed} --mode ${mode}`);
    for (const { oracle, atMs, what } of violations.slice(0, 3))
      console.log(`  ${oracle} (at ${Math.round(atMs)} ms)\n    ${what.slice(0, 600)}`);
  }
  const seconds = elapsedMs / 1000;
  console.log(
    `\n${seeds} seeds in ${seconds.toFixed(1)} s: ${(seeds / seconds).toFixed(1)} seeds per second, ${events} events, ${requests} requests`,
  );
  console.log(`${seeds - failed.length} seeds passed, ${failed.length} failed`);
  return failed.length === 0;
}

function printCounts(counts: ReadonlyMap<string, number>): void {
  console.log('\nseen:');
  for (const [name, number] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${String(number).padStart(8)}  ${name}`);
}

/** Reasons that no condition showed; faults, acts, traits and stories that may be drawn and never were. */
function printNever(counts: ReadonlyMap<string, number>): void {
  const reasons = [policyReasons, connectionReasons, capacityReasons].flatMap((each) => Object.keys(each));
  const names = [
    ...[...new Set(reasons)].map((reason) => `reason ${reason}`),
    ...Object.keys(actions).map((name) => `act ${name}`),
    ...Object.keys(kubeFaults).map((name) => `kube ${name}`),
    ...Object.keys(serviceFaults).map((name) => `service ${name}`),
    ...lastingKinds.map((name) => `lasting ${name}`),
    ...traitNames.map((name) => `trait ${name}`),
    ...storyNames.map((name) => `story ${name}`),
  ];
  const never = names.filter((name) => !counts.has(name));
  console.log(`seen: ${names.length - never.length} of ${names.length}; never: ${never.join(', ') || 'none'}`);
}
