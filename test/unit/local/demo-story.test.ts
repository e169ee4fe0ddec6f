// The demo's story on a scene that obeys, or does not: what is done when, and how it ends.
import { describe, expect, it } from 'vitest';

import { OperatorError } from '../../../src/lib/errors.ts';
import {
  attackedSample,
  newIncidents,
  outgrownSample,
  type Sample,
  samples,
  scannedSample,
} from '../../../src/local/demo/samples.ts';
import { playStory, type Scene } from '../../../src/local/demo/story.ts';
import { seenAsExpected } from '../../support/demo-scene.ts';
import { ManualClock, settlePromises } from '../../support/manual-clock.ts';

/** Every sample is as expected, before or after as `isAfter` says. */
function testScene(isAfter: (sample: Sample, deeds: readonly string[]) => boolean) {
  const deeds: string[] = [];
  const scene: Scene = {
    seen: (sample) => seenAsExpected(sample, isAfter(sample, deeds) ? sample.after : sample.before),
    turnOff: (sample) => {
      deeds.push(`turn off ${sample.name}`);
      return Promise.resolve();
    },
    findIncidents: (sample, ids) => deeds.push(`find ${ids.length} in ${sample.name}`),
    addOwner: () => {
      deeds.push('add an owner');
      return Promise.resolve();
    },
    check: () => Promise.resolve(),
  };
  return { scene, deeds };
}

async function play(scene: Scene, signal = new AbortController().signal) {
  const clock = new ManualClock();
  const said: string[] = [];
  const options = { scene, clock, signal, withinMs: 60_000, paceMs: 0, say: (line: string) => said.push(line) };
  const playing = playStory(options);
  playing.catch(() => undefined);
  await settlePromises();
  while (clock.pendingTimers > 0) await clock.advance(100);
  return { found: await playing, said, tookMs: clock.monotonic() };
}

const repairs = (sample: Sample, deeds: readonly string[]) => {
  if (sample === attackedSample) return deeds.includes('turn off corrected');
  if (sample === scannedSample) return deeds.includes('add an owner');
  return sample === outgrownSample && deeds.includes('find 3 in bound-broken');
};

describe('the story', () => {
  it('breaks an alert and a bound, and ends when both are put right', async () => {
    const { scene, deeds } = testScene(repairs);
    const { found, said } = await play(scene);
    expect(found).toEqual([]);
    expect(deeds).toEqual(['turn off corrected', `find ${newIncidents.length} in bound-broken`, 'add an owner']);
    expect(said.at(-1)).toContain('the dismissals of "bound-broken" and "cluster" hold no longer');
  });

  it('breaks nothing before every sample is as expected, and tells what is not at the deadline', async () => {
    const { scene, deeds } = testScene(() => true);
    const { found, tookMs } = await play(scene);
    expect(deeds).toEqual([]);
    expect(found).toContain("bound-broken: expected the service's flag to be inactive, saw active");
    expect(tookMs).toBeGreaterThanOrEqual(60_000);
  });

  it('tells what is not as expected when nobody repairs', async () => {
    const { scene } = testScene((sample, deeds) => sample !== attackedSample && repairs(sample, deeds));
    const { found } = await play(scene);
    expect(found).toEqual([
      'corrected: expected the last correction to be Activated for Drift, 2×, verified, saw Activated for Drift, 1×, verified',
      'corrected: expected events to be 2 of DriftCorrected, saw 1 of DriftCorrected',
    ]);
  });

  it('ends without differences when it is stopped', async () => {
    const { scene, deeds } = testScene(() => true);
    const stopping = new AbortController();
    stopping.abort();
    expect((await play(scene, stopping.signal)).found).toEqual([]);
    expect(deeds).toEqual([]);
  });

  it('fails at once when what it needs has ended', async () => {
    const { scene } = testScene(repairs);
    const check = () => Promise.reject(new OperatorError('local', 'The operator ended (exit code 1)'));
    await expect(play({ ...scene, check })).rejects.toThrow('The operator ended (exit code 1)');
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
