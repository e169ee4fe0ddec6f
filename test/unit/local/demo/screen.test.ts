// The demo in a terminal: rows and lines that fit it, the events in the order of their times, a block that is drawn over itself.
import { describe, expect, it } from 'vitest';

import { samples } from '../../../../src/local/demo/samples.ts';
import { createFrame, renderTable } from '../../../../src/local/demo/screen.ts';
import {
  compareEntries,
  createTimeFormat,
  entryOf,
  renderTimeline,
  type TimelineEntry,
  type TimelineEvent,
} from '../../../../src/local/demo/timeline.ts';
import { policyAsExpected } from '../../../support/rigs/demo-actions.ts';
import { TestTerminal } from '../../../support/rigs/test-terminal.ts';

const utc = createTimeFormat('UTC');
const atMs = Date.UTC(2026, 10, 21, 10, 0, 7);

function entry(reason: string, note: string, object = 'corrected'): TimelineEntry {
  return { atMs, object, reason, note };
}

const rows = samples.map((sample) => ({
  sample,
  policy: policyAsExpected(sample, sample.after),
  last: sample.name === 'missing' ? undefined : entry('NewIncidents', '', sample.name),
}));

describe('the table', () => {
  it.each([200, 120, 119, 80, 40, 10])('never has a line longer than %i columns', (columns) => {
    for (const line of renderTable(rows, columns, utc)) expect(line.length).toBeLessThanOrEqual(columns);
  });
});

describe('the timeline', () => {
  const long = entry(
    'DriftCorrected',
    `Alert ${'a'.repeat(30)} was inactive and is declared active; it was activated.`,
  );

  it('shows the newest that fit, each whole', () => {
    const entries = [entry('First', 'short'), long, entry('Last', 'short')];
    expect(renderTimeline(entries, { lines: 2, columns: 79 }, utc)).toEqual(['10:00:07  corrected     Last: short']);
    expect(renderTimeline(entries, { lines: 3, columns: 79 }, utc)).toHaveLength(3);
  });

  it.each([79, 40, 20])('never has a line longer than %i columns', (columns) => {
    const unbroken = entry('X', 'b'.repeat(300));
    const lines = renderTimeline([long, unbroken], { lines: 100, columns }, utc);
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
  });
});

describe('the block at the bottom of a terminal', () => {
  it('is never higher than the terminal', () => {
    const terminal = new TestTerminal(20, 4);
    const frame = createFrame(terminal);
    frame.show(['1', '2', '3', '4', '5', '6']);
    frame.show(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(terminal.lines()).toEqual(['a', 'b', 'c']);
  });
});

const event = (reason: string, eventTime: string): TimelineEvent => ({
  reason,
  eventTime,
  note: `${reason}.`,
  regarding: { name: 'corrected' },
});

describe('an entry', () => {
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
