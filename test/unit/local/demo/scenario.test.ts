// The demo's scenario over actions that succeed or fail: its steps, its end, and how it compares what it sees with what it expects.
import { describe, expect, it } from 'vitest';

import { decodeAlertPage } from '../../../../src/alerts/decode.ts';
import { LocalError } from '../../../../src/lib/command-errors.ts';
import { demoSeed } from '../../../../src/local/demo/manifests.ts';
import {
  attackedSample,
  type Expectation,
  newIncidents,
  outgrownSample,
  type Sample,
  samples,
} from '../../../../src/local/demo/samples.ts';
import { type DemoActions, differences, playScenario, type SeenObjects } from '../../../../src/local/demo/scenario.ts';
import { attributeDrift } from '../../../../src/operator/decide/drift.ts';
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

it('in the seed a user deactivated the inactive alerts, not a scan', () => {
  const { scopes } = demoSeed() as { scopes: Readonly<Record<string, object>> };
  const alerts = Object.values(scopes).flatMap((page) => decodeAlertPage(page).value?.alerts ?? []);
  const actors = alerts.filter(({ isActive }) => !isActive).map((alert) => attributeDrift(alert, false));
  expect(new Set(actors)).toEqual(new Set(['User']));
});
