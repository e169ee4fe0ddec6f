// The report of a replay as text: new deactivations first, then every other difference, and counts at the end.
import { cleanText } from '../../lib/clean-text.ts';
import { counted } from '../../lib/counted.ts';
import type { FactKind } from '../../operator/report/plan-facts.ts';
import { isNewDeactivation, type ReplayDifference, type ReplayReport } from './replay.ts';

/** In the order of the report. Nearly every plan has a time of its own, so times are counted. */
const headings: Readonly<Record<Exclude<FactKind, 'NextChange'>, string>> = {
  Action: 'PATCHes',
  Decision: 'Decisions on alerts',
  Grant: 'Grants',
  Dismissal: 'Dismissals in the ledger',
};
/** The longest text of a line, in characters. */
const textLength = 400;

export function replayText(report: ReplayReport): string {
  const others = report.differences.filter((difference) => !isNewDeactivation(difference));
  const times = others.filter(({ kind }) => kind === 'NextChange').length;
  const sections = [
    ...section(
      'NEW DEACTIVATIONS, which only this version sends',
      report.differences.filter(isNewDeactivation).map(differenceText),
    ),
    ...Object.entries(headings).flatMap(([kind, heading]) =>
      section(heading, others.filter((difference) => difference.kind === kind).map(differenceText)),
    ),
    ...(times === 0 ? [] : [`Times of the next change (${times}); --output json lists them\n`]),
    ...section('Records that cannot be read', report.unreadable, report.totals.unreadableRecords),
    summary(report),
  ];
  return sections.join('\n');
}

function section(heading: string, texts: readonly string[], count = texts.length): readonly string[] {
  const lines = texts.map((text) => `  ${cleanText(text, textLength)}\n`).join('');
  return count === 0 ? [] : [`${heading} (${count})\n${lines}`];
}

function differenceText(difference: ReplayDifference): string {
  const { policy, alert, connection, scope, before = 'nothing', now = 'nothing', plans, first, last } = difference;
  const subject = [policy === undefined ? `connection ${connection}` : `policy ${policy}`, scope, alert];
  const times = first === last ? `at ${first}` : `from ${first} to ${last}`;
  const name = subject.filter((part) => part !== undefined).join(', ');
  return `${name}: ${before} → ${now} (${counted(plans, 'plan')}, ${times})`;
}

function summary({ recordedBy, replayedBy, first, last, totals }: ReplayReport): string {
  const { plans, differingPlans, differences, unreadableRecords } = totals;
  const times = first === undefined ? '' : `, from ${first} to ${last}`;
  const by = recordedBy.length === 0 ? '' : ` of version ${recordedBy.join(', ')}`;
  const bad = unreadableRecords === 0 ? '' : ` ${counted(unreadableRecords, 'record')} could not be read.`;
  const found = `${counted(differences, 'difference')} in ${counted(differingPlans, 'plan')}`;
  const replayed = `Replayed ${counted(plans, 'plan')}${by}${times}, with version ${replayedBy}`;
  return `${replayed}: ${differences === 0 ? 'no difference' : found}.${bad}\n`;
}
