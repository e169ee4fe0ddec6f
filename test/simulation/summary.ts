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
  const { seeds, elapsedMs, events, requests, failed, counts, branches } = summary;
  printCounts('faults and acts', counts);
  printCounts('decisions', branches);
  printTransitions(branches);
  printNever(counts);
  printOracles(failed);
  for (const { seed, mode, violations } of failed.slice(0, 20)) {
    console.log(`\nseed ${seed} failed; again: npm run simulate -- --seed ${seed} --mode ${mode}`);
    for (const { oracle, atMs, what } of violations.slice(0, 3))
      console.log(`  ${oracle} (at ${Math.round(atMs)} ms)\n    ${what.slice(0, 600)}`);
  }
  printReasons(branches);
  const seconds = elapsedMs / 1000;
  console.log(
    `\n${seeds} seeds in ${seconds.toFixed(1)} s: ${(seeds / seconds).toFixed(1)} seeds per second, ${events} events, ${requests} requests`,
  );
  console.log(`${seeds - failed.length} seeds passed, ${failed.length} failed`);
  return failed.length === 0;
}

/** The number of seeds in which each oracle reported a violation, and the first of them. */
function printOracles(failed: Summary['failed']): void {
  const seeds = new Map<string, number[]>();
  for (const { seed, violations } of failed)
    for (const oracle of new Set(violations.map((violation) => violation.oracle)))
      seeds.set(oracle, [...(seeds.get(oracle) ?? []), seed]);
  for (const [oracle, found] of seeds)
    console.log(`  ${found.length} seeds, first ${found.slice(0, 8).join(' ')}: ${oracle}`);
}

function printCounts(title: string, counts: ReadonlyMap<string, number>): void {
  console.log(`\n${title}:`);
  for (const [name, number] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`  ${String(number).padStart(8)}  ${name}`);
}

/** Reasons that a condition showed, and those that none showed. */
function printReasons(branches: ReadonlyMap<string, number>): void {
  const shown = new Set([...branches.keys()].map((name) => /^rolealert\w+ \w+: (\w+)$/.exec(name)?.[1]));
  const all = [policyReasons, connectionReasons, capacityReasons];
  const reasons = [...new Set(all.flatMap((each) => Object.keys(each)))];
  const [seen, never] = [true, false].map((isSeen) => reasons.filter((reason) => shown.has(reason) === isSeen));
  console.log(`\nreasons seen: ${seen?.length} of ${reasons.length}: ${seen?.join(', ')}`);
  console.log(`reasons never seen: ${never?.join(', ') || 'none'}`);
}

/** Steps of Ready from one reason to another, and reasons that no object ever left. */
function printTransitions(branches: ReadonlyMap<string, number>): void {
  const steps = [...branches.keys()].flatMap((name) => {
    const [, from, to] = / Ready: (\w+) → (\w+)$/.exec(name) ?? [];
    return from !== undefined && to !== undefined ? [{ from, to }] : [];
  });
  const left = new Set(steps.map(({ from }) => from));
  const kept = [...new Set(steps.map(({ to }) => to))].filter((reason) => !left.has(reason));
  console.log(`transitions of Ready seen: ${steps.length}; never left: ${kept.join(', ') || 'none'}`);
}

/** Faults, acts, traits and stories that may be drawn and never were. */
function printNever(counts: ReadonlyMap<string, number>): void {
  const names = [
    ...Object.keys(actions).map((name) => `act ${name}`),
    ...Object.keys(kubeFaults).map((name) => `kube ${name}`),
    ...Object.keys(serviceFaults).map((name) => `service ${name}`),
    ...lastingKinds.map((name) => `lasting ${name}`),
    ...traitNames.map((name) => `trait ${name}`),
    ...storyNames.map((name) => `story ${name}`),
  ];
  const never = names.filter((name) => !counts.has(name));
  console.log(
    `faults, acts, traits and stories seen: ${names.length - never.length} of ${names.length}; never: ${never.join(', ') || 'none'}`,
  );
}
