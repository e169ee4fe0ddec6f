// The demo's scenario over actions that succeed or fail: its steps, and its end.
import { describe, expect, it } from 'vitest';

import { LocalError } from '../../../../src/lib/command-errors.ts';
import {
  attackedSample,
  newIncidents,
  outgrownSample,
  type Sample,
  samples,
} from '../../../../src/local/demo/samples.ts';
import { playScenario, type DemoActions } from '../../../../src/local/demo/scenario.ts';
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

async function play(actions: DemoActions, signal = new AbortController().signal) {
  const clock = new ManualClock();
  const said: string[] = [];
  const options = { actions, clock, signal, withinMs: 60_000, paceMs: 0, say: (line: string) => said.push(line) };
  const playing = playScenario(options);
  playing.catch(() => undefined);
  await settlePromises();
  while (clock.pendingTimers > 0) await clock.advance(100);
  return { found: await playing, said, tookMs: clock.monotonic() };
}

const repairs = (sample: Sample, calls: readonly string[]) => {
  if (sample === attackedSample) return calls.includes('deactivate corrected');
  return sample === outgrownSample && calls.includes('find 3 in bound-broken');
};

describe('the story', () => {
  it('breaks an alert and a bound, and ends when both are put right', async () => {
    const { actions, calls } = testActions(repairs);
    const { found, said } = await play(actions);
    expect(found).toEqual([]);
    expect(calls).toEqual(['deactivate corrected', `find ${newIncidents.length} in bound-broken`]);
    expect(said.at(-1)).toContain('the dismissal of "bound-broken" is no longer in force');
  });

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

  it('ends without differences when it is stopped', async () => {
    const { actions, calls } = testActions(() => true);
    const stopping = new AbortController();
    stopping.abort();
    expect((await play(actions, stopping.signal)).found).toEqual([]);
    expect(calls).toEqual([]);
  });

  it('fails at once when what it needs has ended', async () => {
    const { actions } = testActions(repairs);
    const check = () => Promise.reject(new LocalError('The operator exited (exit code 1)'));
    await expect(play({ ...actions, check })).rejects.toThrow('The operator exited (exit code 1)');
  });
});

describe('the samples', () => {
  it('have names and scopes of their own', () => {
    expect(new Set(samples.map(({ name }) => name)).size).toBe(samples.length);
    expect(new Set(samples.map(({ scope }) => scope)).size).toBe(samples.length);
  });

  it('are about alerts that their policies declare', () => {
    for (const { alert, spec } of samples) expect(spec.alerts?.map(({ name }) => name)).toContain(alert);
  });

  it('expect a flag exactly where the scope lists the alert', () => {
    for (const { alert, found, before, after } of samples) {
      const isListed = found.some(({ name }) => name === alert);
      expect([before.isActive !== undefined, after.isActive !== undefined]).toEqual([isListed, isListed]);
    }
  });
});
