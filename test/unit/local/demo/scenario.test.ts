// The demo's scenario over actions that succeed or fail: what it reports, and how it ends.
// test/process/demo.test.ts plays it.
import { describe, expect, it } from 'vitest';

import { LocalError } from '../../../../src/lib/command-errors.ts';
import { attackedSample, outgrownSample, type Sample } from '../../../../src/local/demo/samples.ts';
import { type DemoActions, differences, playScenario } from '../../../../src/local/demo/scenario.ts';
import { seenAsExpected } from '../../../support/rigs/demo-actions.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

/** Every sample is as expected, before or after as `isAfter` says. */
function testActions(isAfter: (sample: Sample, calls: readonly string[]) => boolean) {
  const calls: string[] = [];
  const actions: DemoActions = {
    seen: (sample) => seenAsExpected(sample, isAfter(sample, calls) ? sample.after : sample.before),
    deactivate: (sample) => {
      calls.push(`deactivate ${sample.name}`);
      return Promise.resolve();
    },
    findIncidents: (sample, ids) => calls.push(`find ${ids.length} in ${sample.name}`),
    check: () => Promise.resolve(),
  };
  return { actions, calls };
}

async function play(actions: DemoActions) {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  const options = { actions, clock, signal, withinMs: 60_000, paceMs: 0, say: () => undefined };
  const playing = playScenario(options);
  playing.catch(() => undefined);
  await settlePromises();
  while (clock.pendingTimers > 0) await clock.advance(100);
  return { found: await playing, tookMs: clock.monotonic() };
}

const repairs = (sample: Sample, calls: readonly string[]) => {
  if (sample === attackedSample) return calls.includes('deactivate corrected');
  return sample === outgrownSample && calls.includes('find 3 in bound-broken');
};

describe('the story', () => {
  it('breaks nothing before every sample is as expected, and reports what is missing at the deadline', async () => {
    const { actions, calls } = testActions(() => true);
    const { found, tookMs } = await play(actions);
    expect(calls).toEqual([]);
    expect(found).toContain("bound-broken: expected the service's flag to be inactive, saw active");
    expect(tookMs).toBeGreaterThanOrEqual(60_000);
  });

  it('reports what is not as expected without a repair', async () => {
    const { actions } = testActions((sample, calls) => sample !== attackedSample && repairs(sample, calls));
    const { found } = await play(actions);
    expect(found).toEqual([
      'corrected: expected events to be 1 of DeactivatedByOthers, 2 of DriftCorrected, saw 0 of DeactivatedByOthers, 1 of DriftCorrected',
    ]);
  });

  it('fails at once when what it needs has ended', async () => {
    const { actions } = testActions(repairs);
    const check = () => Promise.reject(new LocalError('The operator exited (exit code 1)'));
    await expect(play({ ...actions, check })).rejects.toThrow('The operator exited (exit code 1)');
  });
});

it('a sample whose policy does not exist is not as expected', () => {
  const seen = { ...seenAsExpected(attackedSample, attackedSample.after), policy: undefined };
  expect(differences(attackedSample, attackedSample.after, seen)).toContain(
    'corrected: expected Ready to be True/Succeeded, saw no such condition',
  );
});
