// The steps of the demo, the same for the live table and for --once: the samples converge, a user deactivates an alert, a scan finds an
// incident beyond a dismissal, and the operator restores the desired state. Each step waits for its expected result.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { attackedSample, newIncidents, outgrownSample, samples, type Expectation, type Sample } from './samples.ts';

/** The observed state of one sample: its policy, the service's `isActive`, the reasons of its policy's events. */
export interface SeenObjects {
  readonly policy: RoleAlertPolicy | undefined;
  readonly isActive: boolean | undefined;
  readonly events: readonly string[];
}

/** The observations and actions of a step. */
export interface DemoActions {
  seen(sample: Sample): MaybePromise<SeenObjects>;
  /** PATCHes the sample's alert to inactive, as any client with a token can. */
  deactivate(sample: Sample): Promise<void>;
  /** Simulates a scan that finds exactly these incidents. */
  findIncidents(sample: Sample, ids: readonly string[]): MaybePromise<unknown>;
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
  /** Pause before the users act, in milliseconds, so that a person can follow; 0 for none. */
  readonly paceMs: number;
}

const pollEveryMs = 100;

/** Resolves with the differences at the deadline of a step; none when the scenario completed or was aborted. */
export async function playScenario(options: ScenarioOptions): Promise<readonly string[]> {
  const { actions, say, signal, clock, paceMs } = options;
  const [attacked, outgrown] = [attackedSample, outgrownSample].map(({ name }) => `"${name}"`);
  say(`${samples.length} sample policies are applied; the operator lists their scopes …`);
  const first = await settle(options, ({ before }) => before);
  if (first.length > 0 || signal.aborted) return first;
  say('… and every sample is as expected.');
  if (paceMs > 0) await sleep(clock, paceMs, signal);
  if (signal.aborted) return [];
  say(`A user deactivates an alert of ${attacked} with a PATCH …`);
  await actions.deactivate(attackedSample);
  say(`A scan finds a third incident for ${outgrown}, whose dismissal names two …`);
  await actions.findIncidents(outgrownSample, newIncidents);
  const repaired = await settle(options, (sample) => (sample === outgrownSample ? undefined : sample.after));
  if (repaired.length > 0 || signal.aborted) return repaired;
  say(`… the operator activated the alert of ${attacked} again and verified it; see its status, history and events.`);
  const end = await settle(options, ({ after }) => after);
  if (end.length > 0 || signal.aborted) return end;
  say(`… the dismissal of ${outgrown} is no longer in force: its alert is active again.`);
  return [];
}

/** Waits until every sample with an expectation meets it. */
async function settle(
  { actions, clock, signal, withinMs }: ScenarioOptions,
  expectationOf: (sample: Sample) => Expectation | undefined,
): Promise<readonly string[]> {
  const endMs = clock.monotonic() + withinMs;
  for (;;) {
    await actions.check();
    const found: string[] = [];
    for (const sample of samples) {
      const expected = expectationOf(sample);
      if (expected) found.push(...differences(sample, expected, await actions.seen(sample)));
    }
    if (signal.aborted) return [];
    if (found.length === 0 || clock.monotonic() >= endMs) return found;
    await sleep(clock, pollEveryMs, signal);
  }
}

/** One line for each difference; none when everything is as expected. */
export function differences(sample: Sample, expected: Expectation, seen: SeenObjects): readonly string[] {
  const { conditions, isActive, events } = expected;
  const wantedEvents = Object.entries(events);
  // More events than expected are as expected.
  const seenEvents = wantedEvents.map(([reason, count]): [string, number] => [
    reason,
    Math.min(count, seen.events.filter((each) => each === reason).length),
  ]);
  const pairs = [
    ...Object.entries(conditions).map(([type, wanted]) => [
      type,
      wanted,
      conditionText(seen.policy, type) ?? 'no such condition',
    ]),
    ["the service's flag", flagText(isActive), flagText(seen.isActive)],
    ['events', eventText(wantedEvents), eventText(seenEvents)],
  ];
  return pairs.flatMap(([what, wanted, found]) =>
    wanted === found ? [] : [`${sample.name}: expected ${what} to be ${wanted}, saw ${found}`],
  );
}

/** Status and reason of a condition, for example `True/Succeeded`; undefined when the condition does not exist. */
export function conditionText(policy: RoleAlertPolicy | undefined, type: string): string | undefined {
  const condition = policy?.status?.conditions?.find((candidate) => candidate.type === type);
  return condition && `${condition.status}/${condition.reason}`;
}

function flagText(isActive: boolean | undefined): string {
  if (isActive === undefined) return 'absent';
  return isActive ? 'active' : 'inactive';
}

function eventText(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([reason, count]) => `${count} of ${reason}`).join(', ');
}
