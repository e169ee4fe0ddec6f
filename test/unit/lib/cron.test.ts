// The times of a schedule, above all where the clock of its zone jumps.
import { expect, it } from 'vitest';

import { parseCron } from '../../../src/lib/cron.ts';

const text = (ms: number | undefined) =>
  ms === undefined ? 'never' : new Date(ms).toISOString().replace(/:00\.000Z$/, '');

/** The first times after `from`. */
function times(schedule: string, timeZone: string, from: string, count: number): string[] {
  const cron = parseCron(schedule, timeZone);
  if (typeof cron === 'string') return [cron];
  const found: string[] = [];
  for (let ms: number | undefined = Date.parse(`${from}Z`); found.length < count;) {
    ms = cron.next(ms);
    found.push(text(ms));
    if (ms === undefined) break;
  }
  return found;
}

function latest(schedule: string, timeZone: string, at: string): string {
  const cron = parseCron(schedule, timeZone);
  return typeof cron === 'string' ? cron : text(cron.latest(Date.parse(`${at}Z`)));
}

it.each([
  [
    'a time that it skips counts at the end of the skip',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00',
    ['2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    'each time of a list that it skips counts there once',
    '15,45 1-2 * * *',
    'Europe/Berlin',
    '2026-03-29T00:00',
    ['2026-03-29T00:15', '2026-03-29T00:45', '2026-03-29T01:00', '2026-03-29T23:15'],
  ],
  [
    'a step goes on with the clock',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:20',
    ['2026-03-29T00:30', '2026-03-29T01:00'],
  ],
])('where the clock is set forward, %s', (_, schedule, timeZone, from, expected) => {
  expect(times(schedule, timeZone, from, expected.length)).toEqual(expected);
});

it.each([
  [
    'a time that it repeats counts once',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00',
    ['2026-10-25T00:30', '2026-10-26T01:30'],
  ],
  [
    'a step counts twice',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:45',
    ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
  ],
])('where the clock is set back, %s', (_, schedule, timeZone, from, expected) => {
  expect(times(schedule, timeZone, from, expected.length)).toEqual(expected);
});

it.each([
  ['counts from its own millisecond on', '0 8 * * *', 'UTC', '2026-11-20T08:00:00.000', '2026-11-20T08:00'],
  ['is the end of a skip', '30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00', '2026-03-29T01:00'],
  ['is the first of two equal ones', '30 2 * * *', 'Europe/Berlin', '2026-10-25T01:45', '2026-10-25T00:30'],
  ['of a month without the day is in the month before', '0 0 31 * *', 'UTC', '2026-12-01T00:00', '2026-10-31T00:00'],
  ['of a leap day is years ago', '0 0 29 2 *', 'UTC', '2026-11-20T12:00', '2024-02-29T00:00'],
])('the latest time %s', (_, schedule, timeZone, at, expected) => {
  expect(latest(schedule, timeZone, at)).toBe(expected);
});

it.each([
  '* * * *',
  '0 * * * * *',
  '@daily',
  '0 0 * * MON#2',
  '0 0 15W * *',
  '0 0 ? * *',
  '60 * * * *',
  '0 17-8 * * *',
  '5/15 * * * *',
  '0 0 30 2 *',
  '0 0 31 4,6,9,11 *',
  '0 0 * * Sun-Sun',
  '',
  '08:00',
])('the schedule %j is invalid', (schedule) => {
  expect(parseCron(schedule, 'UTC')).toBe('schedule');
});

it.each([['Mars/Utopia'], [''], ['Local'], ['../etc/passwd'], ['UTC\n']])('the time zone %j is invalid', (timeZone) => {
  expect(parseCron('0 8 * * *', timeZone)).toBe('timeZone');
});
