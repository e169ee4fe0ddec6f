// The demo's story, the same for a live table and unattended: the samples converge, an alert is turned off behind the
// operator's back, a dismissal is outgrown by a new incident, somebody becomes an owner of the demo's cluster, and all is put right. Every step waits for what it
// promises. What it acts on is behind a port.
import { type Clock, sleep } from '../../lib/clock.ts';
import { differences, type Seen } from './compare.ts';
import {
  attackedSample,
  type Expectation,
  newIncidents,
  outgrownSample,
  type Sample,
  samples,
  scannedSample,
} from './samples.ts';

/** The running demo, as the story sees it. */
export interface Scene {
  seen(sample: Sample): Seen;
  /** PATCHes the sample's alert to inactive, as anybody with a token can. */
  turnOff(sample: Sample): Promise<void>;
  /** A scan finds these incidents, and no others. */
  findIncidents(sample: Sample, ids: readonly string[]): void;
  /** Binds another user to cluster-admin in the scanned cluster. */
  addOwner(): Promise<void>;
  /** Rejects when something that the story needs has ended. */
  check(): Promise<void>;
}

export interface StoryOptions {
  readonly scene: Scene;
  readonly clock: Clock;
  /** Told of each step in a sentence. */
  readonly say: (sentence: string) => void;
  /** Ends the story early. */
  readonly signal: AbortSignal;
  /** For each step that something is waited for. */
  readonly withinMs: number;
  /** A pause before each act, for people to follow; 0 for none. */
  readonly paceMs: number;
}

const lookEveryMs = 100;

/** Resolves with what is not as expected after the deadline of a step: none when the story went to its end, or was ended. */
export async function playStory(options: StoryOptions): Promise<readonly string[]> {
  const { scene, say, signal } = options;
  say(`${samples.length} sample policies are applied; the operator looks at their scopes …`);
  const first = await settle(options, ({ before }) => before);
  if (first.length > 0 || signal.aborted) return first;
  say('… and every sample is as it should be.');
  await pause(options);
  if (signal.aborted) return [];
  say(`Somebody turns an alert of "${attackedSample.name}" off behind the operator's back, with a PATCH …`);
  await scene.turnOff(attackedSample);
  say(`A scan finds a third incident for "${outgrownSample.name}", whose dismissal names two …`);
  scene.findIncidents(outgrownSample, newIncidents);
  say(`Somebody binds a third user to cluster-admin in this cluster, of which "${scannedSample.name}" dismisses two …`);
  await scene.addOwner();
  const isLater = (sample: Sample) => sample === outgrownSample || sample === scannedSample;
  const repaired = await settle(options, (sample) => (isLater(sample) ? undefined : sample.after));
  if (repaired.length > 0 || signal.aborted) return repaired;
  say(`… the alert of "${attackedSample.name}" is on again, and was seen on: status, history and an event tell.`);
  const end = await settle(options, ({ after }) => after);
  if (end.length > 0 || signal.aborted) return end;
  say(
    `… the dismissals of "${outgrownSample.name}" and "${scannedSample.name}" hold no longer: their alerts are on again.`,
  );
  return [];
}

async function pause({ clock, paceMs, signal }: StoryOptions): Promise<void> {
  if (paceMs > 0) await sleep(clock, paceMs, signal);
}

/** Waits until every sample is as expected; one that nothing is expected of is left out. */
async function settle(
  { scene, clock, signal, withinMs }: StoryOptions,
  expectationOf: (sample: Sample) => Expectation | undefined,
): Promise<readonly string[]> {
  const endMs = clock.monotonic() + withinMs;
  for (;;) {
    await scene.check();
    const found = samples.flatMap((sample) => {
      const expected = expectationOf(sample);
      return expected ? differences(sample, expected, scene.seen(sample)) : [];
    });
    if (signal.aborted) return [];
    if (found.length === 0 || clock.monotonic() >= endMs) return found;
    await sleep(clock, lookEveryMs, signal);
  }
}
