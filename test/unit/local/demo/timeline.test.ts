// The demo's timeline: its entries are the events, in the order of their times.
import { describe, expect, it } from 'vitest';

import { compareEntries, entryOf, type TimelineEvent } from '../../../../src/local/demo/timeline.ts';

const event = (reason: string, eventTime: string): TimelineEvent => ({
  reason,
  eventTime,
  note: `${reason}.`,
  regarding: { name: 'corrected' },
});
const atMs = Date.UTC(2026, 10, 21, 10, 0, 7);

describe('an entry', () => {
  it('has the words of its event, and its time with microseconds', () => {
    expect(entryOf(event('DriftCorrected', '2026-11-21T10:00:07.000002Z'), 0)).toEqual({
      atMs: atMs + 0.002,
      object: 'corrected',
      reason: 'DriftCorrected',
      note: 'DriftCorrected.',
    });
  });

  it.each([[null], [undefined], ['never']])(
    'of an event with the time %s has the time at which it arrived',
    (eventTime) => {
      expect(entryOf({ ...event('A', ''), ...(eventTime !== undefined && { eventTime }) }, atMs).atMs).toBe(atMs);
    },
  );

  it('has no control characters', () => {
    expect(entryOf({ ...event('A', ''), note: 'a\u001b[2Jb' }, atMs).note).not.toContain('\u001b');
  });
});

it('the entries have the order of their times, in whichever order the events arrive', () => {
  const entries = [
    event('DriftCorrected', '2026-11-21T10:00:07.000001Z'),
    event('DeactivatedByOthers', '2026-11-21T10:00:07.000000Z'),
    event('AlertDeactivated', '2026-11-21T10:00:06.999000Z'),
  ].map((each) => entryOf(each, 0));
  expect(entries.toSorted(compareEntries).map(({ reason }) => reason)).toEqual([
    'AlertDeactivated',
    'DeactivatedByOthers',
    'DriftCorrected',
  ]);
});
