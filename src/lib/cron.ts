// Times of a cron schedule on the clock of a time zone. They depend on the arguments and on Node's time zone database
// only, so pure code may ask for them.
import { Cron, CronPattern } from 'croner';

export interface CronSchedule {
  /** The latest time of the schedule at or before `timeMs`; both in milliseconds since 1970. Undefined without one. */
  readonly latest: (timeMs: number) => number | undefined;
  /** The first time of the schedule after `timeMs`; both in milliseconds since 1970. Undefined without one. */
  readonly next: (timeMs: number) => number | undefined;
}

/** Which argument of `parseCron` is invalid. */
export type CronProblem = 'schedule' | 'timeZone';

/**
 * Five fields: minute, hour, day of month, month, day of week. If both days are restricted, one of them suffices. Without `*` and
 * steps in minute and hour, a time that the clock skips counts at the end of the skip, and a time that the clock repeats counts once;
 * otherwise it does not count, or counts twice. A schedule that no date fulfils is invalid: a search for one would take long.
 */
export function parseCron(schedule: string, timeZone: string): CronSchedule | CronProblem {
  const cron = cronOf(schedule, timeZone);
  if (!cron) return 'schedule';
  if (!isKnown(cron, timeZone)) return 'timeZone';
  // Two consecutive times: a search asks many times between them, then from the later one on. Each call of Croner takes some 0.1 ms.
  let [latestMs, nextMs]: [number | undefined, number | undefined] = [Infinity, Infinity];
  const moveTo = (timeMs: number) => {
    if ((latestMs ?? -Infinity) <= timeMs && timeMs < (nextMs ?? Infinity)) return;
    // The search excludes its beginning.
    latestMs = timeMs === nextMs ? nextMs : cron.previousRuns(1, new Date(timeMs + 1))[0]?.getTime();
    nextMs = cron.nextRun(new Date(timeMs))?.getTime();
  };
  return {
    latest: (timeMs) => {
      moveTo(timeMs);
      return latestMs;
    },
    next: (timeMs) => {
      moveTo(timeMs);
      return nextMs;
    },
  };
}

/** As Vixie cron: a time that the clock skips counts at the end of the skip, a repeated one once; with a wildcard each as the clock shows it. */
const rules = { mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;

function cronOf(schedule: string, timezone: string): Cron | undefined {
  // Croner also reads names such as @daily, other letters and signs, and SUN-SUN as every day.
  if (!/^[0-9A-Z*,/ -]+$/i.test(schedule) || /SUN-SUN/i.test(schedule)) return undefined;
  try {
    const isPossible = hasDate(new CronPattern(schedule, undefined, rules));
    return isPossible ? new Cron(schedule, { ...rules, timezone }) : undefined;
  } catch {
    return undefined;
  }
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** False for a day of the month that none of the months has. */
function hasDate({ day, month, lastDayOfMonth, starDOM, starDOW }: CronPattern): boolean {
  if (starDOM || !starDOW || lastDayOfMonth) return true;
  return longestMonths.some((days, index) => month[index] && day.slice(0, days).some((isIncluded) => isIncluded));
}

/** Croner takes an empty time zone for that of the machine, and reads a zone when it is first used. */
function isKnown(cron: Cron, timeZone: string): boolean {
  if (timeZone === '') return false;
  try {
    cron.match(new Date(0));
    return true;
  } catch {
    return false;
  }
}
