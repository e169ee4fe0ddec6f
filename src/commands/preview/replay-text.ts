// The report of a replay, as text with new deactivations first, then every other difference, and counts at the end, and as data for scripts.
import { cleanText } from '../../lib/clean-text.ts';
import { counted } from '../../lib/counted.ts';
import { type FactKind, factKinds } from '../../operator/report/facts.ts';
import { isNewDeactivation, type ReplayDifference, type ReplayReport } from './replay.ts';

type ListedKind = Exclude<FactKind, 'NextChange'>;

const headings: Readonly<Record<ListedKind, string>> = {
  Action: 'PATCHes',
  Decision: 'Decisions on alerts',
  Grant: 'Grants',
  Dismissal: 'Dismissals in the ledger',
};
/** The longest text of a line, in characters. */
const textLength = 400;

/** `version`: of this program. */
export function replayText(report: ReplayReport, version: string): string {
  const { differences, unreadable, unreadableRecords } = report;
  const loud = differences.filter(isNewDeactivation);
  const others = differences.filter((difference) => !isNewDeactivation(difference));
  const sections = [
    section('NEW DEACTIVATIONS, which only this version sends', loud),
    ...factKinds.map((kind) => (kind === 'NextChange' ? timeSection(others) : kindSection(kind, others))),
    unreadable.length === 0 ? '' : `Records that cannot be read (${unreadableRecords})\n${lines(unreadable)}`,
    summary(report, version),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

function kindSection(kind: ListedKind, differences: readonly ReplayDifference[]): string {
  const ofKind = differences.filter((difference) => difference.kind === kind);
  return section(headings[kind], ofKind);
}

/** Counts: nearly every plan has a time of its own. */
function timeSection(differences: readonly ReplayDifference[]): string {
  const count = differences.filter(({ kind }) => kind === 'NextChange').length;
  return count === 0 ? '' : `Times of the next change (${count}); --output json lists them\n`;
}

function section(heading: string, differences: readonly ReplayDifference[]): string {
  return differences.length === 0
    ? ''
    : `${heading} (${differences.length})\n${lines(differences.map(differenceText))}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${cleanText(text, textLength)}\n`).join('');
}

function differenceText(difference: ReplayDifference): string {
  const { policy, alert, connection, scope, before = 'nothing', now = 'nothing', plans, first, last } = difference;
  const subject = [policy === undefined ? `connection ${connection}` : `policy ${policy}`, scope, alert];
  const times = first === last ? `at ${first}` : `from ${first} to ${last}`;
  const name = subject.filter((part) => part !== undefined).join(', ');
  return `${name}: ${before} → ${now} (${counted(plans, 'plan')}, ${times})`;
}

function summary(
  { plans, differingPlans, programs, first, last, differences, unreadableRecords }: ReplayReport,
  version: string,
) {
  const times = first === undefined ? '' : `, from ${first} to ${last}`;
  const by = programs.length === 0 ? '' : ` of version ${programs.join(', ')}`;
  const bad = unreadableRecords === 0 ? '' : ` ${counted(unreadableRecords, 'record')} could not be read.`;
  return `Replayed ${counted(plans, 'plan')}${by}${times}, with version ${version}: ${
    differences.length === 0
      ? 'no difference'
      : `${counted(differences.length, 'difference')} in ${counted(differingPlans, 'plan')}`
  }.${bad}\n`;
}

/** The shape is a contract: within a version members may be added, never renamed or removed. `version`: of this program. */
export function replayJson(report: ReplayReport, version: string): object {
  const { plans, differingPlans, programs, first, last, differences, unreadableRecords, unreadable } = report;
  return {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'ReplayReport',
    recordedBy: programs,
    replayedBy: version,
    ...(first !== undefined && { first, last }),
    totals: {
      plans,
      differingPlans,
      differences: differences.length,
      newDeactivations: differences.filter(isNewDeactivation).length,
      unreadableRecords,
    },
    differences,
    unreadable,
  };
}
