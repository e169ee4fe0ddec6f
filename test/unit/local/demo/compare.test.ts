// The demo's comparison with the expected state, and its messages.
import { describe, expect, it } from 'vitest';

import { attackedSample, type Expectation, type Sample } from '../../../../src/local/demo/samples.ts';
import { differences, type SeenObjects } from '../../../../src/local/demo/scenario.ts';
import { seenAsExpected } from '../../../support/rigs/demo-actions.ts';

function seenOf(sample: Sample, expected: Expectation, change: Partial<SeenObjects> = {}): readonly string[] {
  return differences(sample, expected, { ...seenAsExpected(sample, expected), ...change });
}

describe('a sample', () => {
  it('that is as expected has no differences', () => {
    expect(seenOf(attackedSample, attackedSample.after)).toEqual([]);
  });

  it('whose policy does not exist says so of every condition', () => {
    expect(seenOf(attackedSample, attackedSample.after, { policy: undefined })).toEqual([
      'corrected: expected Ready to be True/Succeeded, saw no such condition',
      'corrected: expected InSync to be True/InSync, saw no such condition',
      'corrected: expected ConnectionReady to be True/Connected, saw no such condition',
    ]);
  });

  it('whose alert the service shows off is not as expected, whatever the status says', () => {
    expect(seenOf(attackedSample, attackedSample.after, { isActive: false })).toEqual([
      "corrected: expected the service's flag to be active, saw inactive",
    ]);
  });

  it('is not repaired before an event shows it', () => {
    const seen = seenAsExpected(attackedSample, attackedSample.before);
    expect(differences(attackedSample, attackedSample.after, seen)).toEqual([
      'corrected: expected events to be 1 of DeactivatedByOthers, 2 of DriftCorrected, saw 0 of DeactivatedByOthers, 1 of DriftCorrected',
    ]);
  });

  it('may have more events than expected', () => {
    const events = ['DriftCorrected', 'DriftCorrected', 'DriftCorrected', 'AlertNotFound'];
    expect(seenOf(attackedSample, attackedSample.before, { events })).toEqual([]);
  });
});
