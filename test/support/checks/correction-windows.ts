// A second reading of correction windows, without the operator's code and its cron package: it compares the clock with the
// schedule minute by minute. It holds for zones whose offset is the same during the longest window before the time in
// question.

export interface Window {
  readonly kind: 'Allow' | 'Deny';
  readonly schedule: string;
  readonly duration: string;
  readonly timeZone: string;
}

const minuteMs = 60_000;
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const months = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** True when no window of the list speaks against a deactivation at `timeMs`, in milliseconds since 1970. */
export function isOpenAt(windows: readonly Window[], timeMs: number): boolean {
  const within = windows.filter((window) => isWithin(window, timeMs));
  if (within.some(({ kind }) => kind === 'Deny')) return false;
  return windows.every(({ kind }) => kind === 'Deny') || within.length > 0;
}

function isWithin({ schedule, duration, timeZone }: Window, timeMs: number): boolean {
  const fields = schedule.split(' ');
  const shiftMs = offsetMs(timeZone, timeMs);
  const longMs = lengthMs(duration);
  for (let atMs = Math.floor(timeMs / minuteMs) * minuteMs; atMs > timeMs - longMs; atMs -= minuteMs) {
    if (isMatch(fields, new Date(atMs + shiftMs))) return true;
  }
  return false;
}

/** By how much the clock of the zone is ahead of UTC. */
export function offsetMs(timeZone: string, timeMs: number): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }).formatToParts(timeMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)$/.exec(name) ?? [];
  return sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

function lengthMs(duration: string): number {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(duration) ?? [];
  return (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

/** `local`: what the clock of the zone shows, as if it were UTC. */
function isMatch(
  [minute = '', hour = '', day = '', month = '', weekday = '']: readonly string[],
  local: Date,
): boolean {
  const isTime = holds(minute, local.getUTCMinutes(), 0) && holds(hour, local.getUTCHours(), 0);
  if (!isTime || !holds(month, local.getUTCMonth() + 1, 1, months)) return false;
  const tomorrow = new Date(local.getTime() + 24 * 60 * minuteMs);
  const isLast = day.toUpperCase().split(',').includes('L') && tomorrow.getUTCDate() === 1;
  const isDay = isLast || holds(day, local.getUTCDate(), 1);
  const isWeekday =
    holds(weekday, local.getUTCDay(), 0, days) || (local.getUTCDay() === 0 && holds(weekday, 7, 0, days));
  return day === '*' || weekday === '*' ? isDay && isWeekday : isDay || isWeekday;
}

/** True when one part of a list holds the value. `least`: the first value of a step from `*`. */
function holds(field: string, value: number, least: number, names: readonly string[] = []): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [first = '', last = first] = range.split('-');
    const from = first === '*' ? least : numberOf(first, names);
    const to = first === '*' ? Infinity : last.toUpperCase() === 'SUN' && first !== last ? 7 : numberOf(last, names);
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });
}

function numberOf(text: string, names: readonly string[]): number {
  const index = names.indexOf(text.toUpperCase());
  return index === -1 ? Number(text) : index;
}
