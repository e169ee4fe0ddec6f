// The steps of the demo, the same for the live table and for --once: the samples converge, a user deactivates an alert, a scan finds an
// incident beyond a dismissal, another user becomes an owner of the demo's cluster, and the operator restores the desired state. Each
// step waits for its expected result.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { differences, type SeenObjects } from './compare.ts';
import type { Expectation } from './expectations.ts';
import { registerLines } from './register-lines.ts';
import type { Sample } from './sample.ts';
import { samples } from './samples.ts';
import { attackedSample, newIncidents, outgrownSample, scannedSample } from './scenario-samples.ts';

/** The observations and actions of a step. */
export interface DemoActions {
  seen(sample: Sample): MaybePromise<SeenObjects>;
  /** PATCHes the sample's alert to inactive, as any client with a token can. */
  deactivate(sample: Sample): Promise<void>;
  /** Simulates a scan that finds exactly these incidents. */
  findIncidents(sample: Sample, ids: readonly string[]): MaybePromise<unknown>;
  /** Binds another user to cluster-admin in the scanned cluster. */
  addOwner(): Promise<void>;
  /** Rejects when the operator has exited. */
  check(): Promise<void>;
}

export interface ScenarioOptions {
  readonly actions: DemoActions;
  readonly clock: Clock;
  /** Called with one sentence for each step. */
  readonly say: (message: string) => void;
  /** Ends the scenario early. */
  readonly signal: AbortSignal;
  /** Deadline of a step, in milliseconds. */
  readonly withinMs: number;
  /** Pause before each step in milliseconds, so that a person can follow; 0 for none. */
  readonly paceMs: number;
}

const pollEveryMs = 100;

/** Resolves with the differences at the deadline of a step; none when the scenario completed or was aborted. */
export async function playScenario(options: ScenarioOptions): Promise<readonly string[]> {
  const { actions, say, signal } = options;
  say(`${samples.length} sample policies are applied; the operator lists their scopes …`);
  const first = await settle(options, ({ before }) => before);
  if (first.length > 0 || signal.aborted) return first;
  say('… and every sample is as expected.');
  const { connection } = await actions.seen(attackedSample);
  for (const line of connection ? registerLines(connection) : []) say(line);
  await pause(options);
  if (signal.aborted) return [];
  say(`A user deactivates an alert of "${attackedSample.name}" with a PATCH …`);
  await actions.deactivate(attackedSample);
  say(`A scan finds a third incident for "${outgrownSample.name}", whose dismissal names two …`);
  await actions.findIncidents(outgrownSample, newIncidents);
  say(
    `A user binds a third user to cluster-admin in this cluster; the dismissal of "${scannedSample.name}" allows two …`,
  );
  await actions.addOwner();
  const isLater = (sample: Sample) => sample === outgrownSample || sample === scannedSample;
  const repaired = await settle(options, (sample) => (isLater(sample) ? undefined : sample.after));
  if (repaired.length > 0 || signal.aborted) return repaired;
  say(
    `… the operator activated the alert of "${attackedSample.name}" again and verified it; see its status, history and events.`,
  );
  const end = await settle(options, ({ after }) => after);
  if (end.length > 0 || signal.aborted) return end;
  say(
    `… the dismissals of "${outgrownSample.name}" and "${scannedSample.name}" are no longer in force: their alerts are active again.`,
  );
  return [];
}

async function pause({ clock, paceMs, signal }: ScenarioOptions): Promise<void> {
  if (paceMs > 0) await sleep(clock, paceMs, signal);
}

/** Waits until every sample with an expectation meets it. */
async function settle(
  { actions, clock, signal, withinMs }: ScenarioOptions,
  expectationOf: (sample: Sample) => Expectation | undefined,
): Promise<readonly string[]> {
  const endMs = clock.monotonic() + withinMs;
  for (;;) {
    await actions.check();
    const found = await differencesNow(actions, expectationOf);
    if (signal.aborted) return [];
    if (found.length === 0 || clock.monotonic() >= endMs) return found;
    await sleep(clock, pollEveryMs, signal);
  }
}

async function differencesNow(
  actions: DemoActions,
  expectationOf: (sample: Sample) => Expectation | undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const sample of samples) {
    const expected = expectationOf(sample);
    if (expected) found.push(...differences(sample, expected, await actions.seen(sample)));
  }
  return found;
}
