// The report of a run: the score of each folder, by the kind of test that noticed the edits, and every surviving edit.
import type { Equivalent } from './equivalents.ts';
import type { Mutant } from './mutants.ts';
import { type Tier, tierOf } from './project.ts';
import { partOf } from './sample.ts';
import type { Verdict } from './verdicts.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly equivalent: Equivalent | undefined;
}

/** In hundredths: what a folder has to reach. The other folders are only reported. */
const goals: Readonly<Record<string, number>> = {
  'src/plan': 90,
  'src/policy': 90,
  'src/controller': 80,
  'src/alert-client': 80,
  'src/service': 85,
};
const mostEquivalents = 3;

/** True when the folder reached its goal. */
export function printFolder(folder: string, judged: readonly Judged[]): boolean {
  const argued = judged.filter(({ equivalent, verdict }) => equivalent && verdict.result !== 'killed');
  const counted = judged.filter((each) => !argued.includes(each));
  const by = (tier: Tier) =>
    counted.filter(({ verdict }) => verdict.result === 'killed' && tierOf(verdict.by.file) === tier).length;
  const killed = counted.filter(({ verdict }) => verdict.result === 'killed').length;
  const left = counted.length - killed;
  const score = (killed / Math.max(1, counted.length)) * 100;
  const share = (argued.length / Math.max(1, judged.length)) * 100;
  console.log(
    `${folder}: ${score.toFixed(1)} % of ${counted.length} edits; ` +
      `unit ${by('unit')}, property ${by('property')}, contract ${by('contract')}, simulation ${by('simulation')}, ` +
      `not noticed ${left} (${counted.filter(({ verdict }) => verdict.result === 'not executed').length} not executed), ` +
      `argued away ${argued.length} (${share.toFixed(1)} %)`,
  );
  const isEnough = score >= (goals[folder] ?? 0) && share <= mostEquivalents;
  if (!isEnough)
    console.log(`  ${folder} has to reach ${goals[folder] ?? 0} %, with at most ${mostEquivalents} % argued away`);
  return isEnough;
}

/** One line for each folder directly below, where there are several. */
export function printParts(judged: readonly Judged[]): void {
  const parts = Map.groupBy(judged, ({ mutant }) => partOf(mutant.file.path));
  if (parts.size < 2) return;
  for (const [part, each] of parts) {
    const killed = each.filter(({ verdict }) => verdict.result === 'killed').length;
    const counted = each.filter(({ equivalent, verdict }) => !equivalent || verdict.result === 'killed').length;
    console.log(`  ${part}: ${percent(killed, counted)} % of ${counted} edits`);
  }
}

export function printSurvivors(judged: readonly Judged[]): void {
  for (const { mutant, verdict, equivalent } of judged) {
    if (verdict.result === 'killed' || equivalent) continue;
    const { file, edit } = mutant;
    const line = file.source.slice(0, edit.start).split('\n').length;
    const note = verdict.result === 'not executed' ? ' (not executed)' : '';
    console.log(
      `${file.path}:${line} ${edit.kind}${note}: ${oneLine(edit.before)} => ${oneLine(edit.after) || '(nothing)'}`,
    );
  }
}

function percent(part: number, whole: number): string {
  return ((part / Math.max(1, whole)) * 100).toFixed(1);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 160);
}
