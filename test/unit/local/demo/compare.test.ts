// The demo's comparison with the expected state, and its messages.
import { describe, expect, it } from 'vitest';

import { attackedSample, type Expectation, outgrownSample, type Sample } from '../../../../src/local/demo/samples.ts';
import { differences, type SeenObjects } from '../../../../src/local/demo/scenario.ts';
import type { DismissalRecord } from '../../../../src/policy/generated/role-alert-connection.ts';
import { seenAsExpected } from '../../../support/rigs/demo-actions.ts';

function seenOf(sample: Sample, expected: Expectation, change: Partial<SeenObjects> = {}): readonly string[] {
  return differences(sample, expected, { ...seenAsExpected(sample, expected), ...change });
}

describe('a sample', () => {
  it('that is as expected has no differences', () => {
    expect(seenOf(attackedSample, attackedSample.after)).toEqual([]);
  });

  it('whose policy does not exist says so of every condition and of the correction', () => {
    expect(seenOf(attackedSample, attackedSample.after, { policy: undefined })).toEqual([
      'corrected: expected Ready to be True/Succeeded, saw no such condition',
      'corrected: expected InSync to be True/InSync, saw no such condition',
      'corrected: expected ConnectionReady to be True/Connected, saw no such condition',
      'corrected: expected the last correction to be Activated for Drift, 2×, verified, saw none',
    ]);
  });

  it('whose alert the service shows off is not as expected, whatever the status says', () => {
    expect(seenOf(attackedSample, attackedSample.after, { isActive: false })).toEqual([
      "corrected: expected the service's flag to be active, saw inactive",
    ]);
  });

  it('is not repaired before the history counts it', () => {
    const seen = seenAsExpected(attackedSample, attackedSample.before);
    expect(differences(attackedSample, attackedSample.after, seen)).toEqual([
      'corrected: expected the last correction to be Activated for Drift, 2×, verified, saw Activated for Drift, 1×, verified',
      'corrected: expected events to be 1 of DeactivatedByOthers, 2 of DriftCorrected, saw 0 of DeactivatedByOthers, 1 of DriftCorrected',
    ]);
  });

  it('is not repaired before the flag was verified after the correction', () => {
    const seen = seenAsExpected(outgrownSample, outgrownSample.after, { verifiedAt: '2026-11-21T09:59:59Z' });
    expect(differences(outgrownSample, outgrownSample.after, seen)).toEqual([
      'bound-broken: expected the last correction to be Activated for NewIncidents, 1×, verified, saw Activated for NewIncidents, 1×, not verified',
    ]);
  });

  it('is not dismissed before its connection registers the dismissal, with its end or bound and its reason', () => {
    const expected = outgrownSample.before;
    const { connection } = seenAsExpected(outgrownSample, expected);
    const [entry] = connection?.status?.dismissals ?? [];
    const withEntries = (...dismissals: DismissalRecord[]) => ({
      connection: { ...connection!, status: { ...connection!.status!, dismissals } },
    });
    const found = ['bound-broken: expected its dismissal to be registered, saw not registered'];
    expect(seenOf(outgrownSample, expected)).toEqual([]);
    expect(seenOf(outgrownSample, expected, { connection: undefined })).toEqual(found);
    expect(seenOf(outgrownSample, expected, withEntries())).toEqual(found);
    expect(seenOf(outgrownSample, expected, withEntries({ ...entry!, policy: 'demo/other' }))).toEqual(found);
    const { until: _, ...unbounded } = entry!;
    expect(seenOf(outgrownSample, expected, withEntries(unbounded))).toEqual(found);
    expect(seenOf(outgrownSample, expected, withEntries({ ...unbounded, incidents: 2 }))).toEqual([]);
  });

  it('may have more events than expected', () => {
    const events = ['DriftCorrected', 'DriftCorrected', 'DriftCorrected', 'AlertNotFound'];
    expect(seenOf(attackedSample, attackedSample.before, { events })).toEqual([]);
  });
});
