// The report of a run: the score of each folder, by the kind of test that noticed the edits, and every surviving edit.
import type { Mutant } from './mutants.ts';
import { type Tier, tierOf } from './project.ts';
import { partOf } from './sample.ts';
import type { Verdict } from './verdicts.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

/** In hundredths: what a folder has to reach. The other folders are only reported. */
const goals: Readonly<Record<string, number>> = {
  'src/policy': 90,
  'src/operator/decide': 90,
  'src/operator/dismissals': 80,
  'src/operator/reasons': 90,
  'src/operator/report': 90,
  'src/operator/scope': 80,
  'src/operator/connection': 80,
  'src/operator/queue': 80,
  'src/operator/alert-client': 80,
  'src/service': 85,
};

/** True when the folder reached its goal. */
export function printFolder(folder: string, judged: readonly Judged[]): boolean {
  const by = (tier: Tier) =>
    judged.filter(({ verdict }) => verdict.result === 'killed' && tierOf(verdict.by.file) === tier).length;
  const killed = judged.filter(({ verdict }) => verdict.result === 'killed').length;
  const score = (killed / Math.max(1, judged.length)) * 100;
  console.log(
    `${folder}: ${score.toFixed(1)} % of ${judged.length} edits; ` +
      `unit ${by('unit')}, property ${by('property')}, contract ${by('contract')}, simulation ${by('simulation')}, ` +
      `not noticed ${judged.length - killed} (${judged.filter(({ verdict }) => verdict.result === 'not executed').length} not executed)`,
  );
  const isEnough = score >= (goals[folder] ?? 0);
  if (!isEnough) console.log(`  ${folder} has to reach ${goals[folder] ?? 0} %`);
  return isEnough;
}

/** One line for each folder directly below, where there are several. */
export function printParts(judged: readonly Judged[]): void {
  const parts = Map.groupBy(judged, ({ mutant }) => partOf(mutant.file.path));
  if (parts.size < 2) return;
  for (const [part, each] of parts) {
    const killed = each.filter(({ verdict }) => verdict.result === 'killed').length;
    console.log(`  ${part}: ${percent(killed, each.length)} % of ${each.length} edits`);
  }
}

export function printSurvivors(judged: readonly Judged[]): void {
  for (const { mutant, verdict } of judged) {
    if (verdict.result === 'killed') continue;
    const note = verdict.result === 'not executed' ? ' (not executed)' : '';
    console.log(`${placeOf(mutant)} ${mutant.edit.kind}${note}: ${textOf(mutant)}`);
  }
}

/** With its line, which moves; textOf() does not. */
export function placeOf({ file, edit }: Mutant): string {
  return `${file.path}:${file.source.slice(0, edit.start).split('\n').length}`;
}

export function textOf({ edit: { before, after } }: Mutant): string {
  return `${oneLine(before)} => ${oneLine(after) || '(nothing)'}`;
}

function percent(part: number, whole: number): string {
  return ((part / Math.max(1, whole)) * 100).toFixed(1);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').slice(0, 160);
}
