// The calendar of the dismissals that end within 13 weeks, one column a week. Days are those of UTC.
import type { DismissalRow } from './dismissal-rows.ts';
import { markup, type Markup } from './markup.ts';

const dayMs = 24 * 3_600_000;
const weeks = 13;
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

// In units of the drawing, which a phone shows as pixels.
const cell = 24;
const left = 28;
const top = 18;

/** `nowMs`: milliseconds since 1970; the first column is its week. */
export function dismissalCalendar(rows: readonly DismissalRow[], nowMs: number): Markup {
  const firstMs = mondayBefore(nowMs);
  const counts = countsByDay(rows);
  const days = Array.from({ length: weeks * 7 }, (_, index) => firstMs + index * dayMs);
  const shown = days.reduce((total, dayStart) => total + (counts.get(dayStart) ?? 0), 0);
  return markup`<svg class="chart" role="img" viewBox="0 0 ${left + weeks * cell} ${top + 7 * cell}" aria-labelledby="calendar-title calendar-description">
<title id="calendar-title">Dismissals that end, by day</title>
<desc id="calendar-description">${sentenceOf(shown, firstMs)}</desc>
${weekdays.map((name, index) => markup`<text x="0" y="${top + index * cell + 16}">${name}</text>\n`)}
${days.map((dayStart, index) => monthLabel(dayStart, index))}
${days.map((dayStart, index) => dayCell(dayStart, index, { count: counts.get(dayStart) ?? 0, nowMs }))}</svg>
`;
}

function sentenceOf(count: number, firstMs: number): string {
  const last = dateOf(firstMs + (weeks * 7 - 1) * dayMs);
  return `${count} dismissals end between ${dateOf(firstMs)} and ${last}. The table of dismissals has the same dates.`;
}

/** Above the first week that begins in the month. */
function monthLabel(dayStart: number, index: number): Markup | undefined {
  const date = new Date(dayStart);
  if (index % 7 !== 0 || date.getUTCDate() > 7) return undefined;
  return markup`<text x="${left + (index / 7) * cell}" y="12">${months[date.getUTCMonth()]}</text>\n`;
}

function dayCell(dayStart: number, index: number, { count, nowMs }: { count: number; nowMs: number }): Markup {
  const x = left + Math.floor(index / 7) * cell;
  const y = top + (index % 7) * cell;
  const isToday = nowMs >= dayStart && nowMs < dayStart + dayMs;
  const kind = `${count > 0 ? 'day busy' : 'day'}${isToday ? ' today' : ''}`;
  const number =
    count === 0 ? undefined : markup`<text class="count" x="${x + 11}" y="${y + 15}">${short(count)}</text>`;
  return markup`<g><title>${dateOf(dayStart)}: ${count}</title><rect class="${kind}" x="${x + 1}" y="${y + 1}" width="20" height="20" rx="3"/>${number}</g>
`;
}

function countsByDay(rows: readonly DismissalRow[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { until } of rows) {
    if (until === undefined) continue;
    const dayStart = startOfDay(Date.parse(until));
    counts.set(dayStart, (counts.get(dayStart) ?? 0) + 1);
  }
  return counts;
}

/** Three characters at most. */
function short(count: number): string {
  return count > 99 ? '99+' : String(count);
}

function startOfDay(timeMs: number): number {
  return timeMs - (timeMs % dayMs);
}

function mondayBefore(nowMs: number): number {
  const today = startOfDay(nowMs);
  return today - ((new Date(today).getUTCDay() + 6) % 7) * dayMs;
}

function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
