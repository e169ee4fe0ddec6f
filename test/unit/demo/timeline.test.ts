// The order of the demo's timeline.
import { expect, it } from 'vitest';

import { compareEntries, type TimelineEntry } from '../../../src/demo/timeline.ts';

const entry = (what: string, atMs = 1000): TimelineEntry => ({ atMs, policy: 'corrected', what, note: '' });

it.each([
  ['by time', [entry('Later', 2000), entry('Earlier')], ['Earlier', 'Later']],
  [
    'a deactivation by others before its correction, in whichever order the events arrive',
    [entry('DriftCorrected'), entry('DeactivatedByOthers')],
    ['DeactivatedByOthers', 'DriftCorrected'],
  ],
  ['other events of one time as they arrive', [entry('B'), entry('A')], ['B', 'A']],
])('orders entries: %s', (_, entries, expected) => {
  expect(entries.toSorted(compareEntries).map(({ what }) => what)).toEqual(expected);
});
