// The page with the timeline: what time alone changes in the days ahead.
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { TimelineChange } from '../report/timeline-change.ts';
import { changeWords, withoutRepetition } from '../report/timeline-text.ts';
import type { Timeline } from '../report/timeline.ts';
import { dataTable } from './data-table.ts';
import { linked, pageSection } from './fleet-sections.ts';
import { livePage, policyLink } from './live-fleet-page.ts';
import { markup, type Markup } from './markup.ts';
import { timeText } from './time-text.ts';

const dayChoices = [7, 30, 90] as const;
/** Changes beyond this number are counted. */
const shownChanges = 200;

/** From the query string; 30 when it has none of the choices. */
export function parseDays(parameters: URLSearchParams): number {
  return dayChoices.find((days) => String(days) === parameters.get('days')) ?? 30;
}

export function liveTimelinePage(timeline: Timeline, days: number, failure: string | undefined): string {
  const { fromMs, untilMs, notes } = timeline;
  const period = markup`<p class="quiet">From ${formatTimestamp(fromMs)} to ${formatTimestamp(untilMs)}.</p>`;
  const remarks = notes.map((note) => markup`<p class="quiet">${note}</p>\n`);
  const section = pageSection('timeline', `The next ${days} days`, markup`${period}${changeTable(timeline)}${remarks}`);
  return livePage({ title: 'Timeline', failure }, markup`${daysForm(days)}${section}`);
}

function daysForm(days: number): Markup {
  const options = dayChoices.map(
    (choice) => markup`<option${choice === days ? markup` selected` : undefined}>${choice}</option>`,
  );
  return markup`<form method="get" action="/timeline"><label>Days <select name="days">${options}</select></label><button>Show</button></form>\n`;
}

function changeTable({ entries, fromMs }: Timeline): Markup {
  const relevant = withoutRepetition(entries);
  const shown = relevant.slice(0, shownChanges);
  if (shown.length === 0) return markup`<p>Nothing changes by itself.</p>`;
  const repeated = entries.length - relevant.length;
  const later = relevant.length - shown.length;
  const parts = [
    ...(repeated > 0 ? [`${repeated} more changes of correction windows`] : []),
    ...(later > 0 ? [`${later} later changes`] : []),
  ];
  return dataTable({
    id: 'timeline-table',
    caption: 'What changes by itself, the next change first. Times are in UTC.',
    columns: ['Time', 'What', 'Object', 'Effect', 'Scope', 'Reason'].map((name) => ({ name })),
    rows: shown.map((change) => changeRow(change, fromMs)),
    rest:
      parts.length > 0 ? `${parts.join(' and ')} are not shown; rolealerts timeline -o wide lists them.` : undefined,
  });
}

function changeRow({ atMs, kind, object, effect, scope = '', reason = '' }: TimelineChange, nowMs: number) {
  return [
    timeText(formatTimestamp(atMs), nowMs),
    changeWords[kind],
    linked(object, policyLink(object)),
    effect,
    scope,
    reason,
  ];
}
