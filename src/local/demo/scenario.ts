// The steps of the demo, the same for the live table and for --once: the samples converge, a user deactivates an alert, a scan finds an
// incident beyond a dismissal, another user becomes an owner of the demo's cluster, and the operator restores the desired state. Each
// step waits for its expected result.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { demoNamespace } from './manifests.ts';
import {
  attackedSample,
  newIncidents,
  outgrownSample,
  samples,
  scannedSample,
  type Expectation,
  type Sample,
} from './samples.ts';

/** The observed state of one sample: its policy and connection, the service's `isActive`, the reasons of its policy's events. */
export interface SeenObjects {
  readonly policy: RoleAlertPolicy | undefined;
  readonly connection: RoleAlertConnection | undefined;
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
  /** Pause before the users act, in milliseconds, so that a person can follow; 0 for none. */
  readonly paceMs: number;
}

const pollEveryMs = 100;

/** Resolves with the differences at the deadline of a step; none when the scenario completed or was aborted. */
export async function playScenario(options: ScenarioOptions): Promise<readonly string[]> {
  const { actions, say, signal, clock, paceMs } = options;
  const [attacked, outgrown, scanned] = [attackedSample, outgrownSample, scannedSample].map(({ name }) => `"${name}"`);
  say(`${samples.length} sample policies are applied; the operator lists their scopes …`);
  const first = await settle(options, ({ before }) => before);
  if (first.length > 0 || signal.aborted) return first;
  say('… and every sample is as expected.');
  const { connection } = await actions.seen(attackedSample);
  for (const line of connection ? registerLines(connection) : []) say(line);
  if (paceMs > 0) await sleep(clock, paceMs, signal);
  if (signal.aborted) return [];
  say(`A user deactivates an alert of ${attacked} with a PATCH …`);
  await actions.deactivate(attackedSample);
  say(`A scan finds a third incident for ${outgrown}, whose dismissal names two …`);
  await actions.findIncidents(outgrownSample, newIncidents);
  say(`A user binds a third user to cluster-admin in this cluster; the dismissal of ${scanned} allows two …`);
  await actions.addOwner();
  const isLater = (sample: Sample) => sample === outgrownSample || sample === scannedSample;
  const repaired = await settle(options, (sample) => (isLater(sample) ? undefined : sample.after));
  if (repaired.length > 0 || signal.aborted) return repaired;
  say(`… the operator activated the alert of ${attacked} again and verified it; see its status, history and events.`);
  const end = await settle(options, ({ after }) => after);
  if (end.length > 0 || signal.aborted) return end;
  say(`… the dismissals of ${outgrown} and ${scanned} are no longer in force: their alerts are active again.`);
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

/** What is dismissed through a connection, by which policy, until when and why. */
export function registerLines({ metadata, status }: RoleAlertConnection): readonly string[] {
  const { dismissals = [] } = status ?? {};
  const entries = dismissals.length === 1 ? '1 entry' : `${dismissals.length} entries`;
  return [
    `Connection "${metadata.name}" has ${entries} in its register of dismissals (status.dismissals):`,
    ...dismissals.map((entry) => `  ${entry.policy}: ${boundOf(entry)}${entry.reason ? `; ${entry.reason}` : ''}`),
  ];
}

function boundOf({ until, incidents, maxIncidents }: DismissalRecord): string {
  const parts = [
    incidents === undefined ? [] : [`${incidents} named incidents`],
    maxIncidents === undefined ? [] : [`at most ${maxIncidents} incidents`],
    until === undefined ? [] : [`until ${until}`],
  ];
  return parts.flat().join(', ') || 'no policy declares it';
}

/** One line for each difference; none when everything is as expected. */
export function differences(sample: Sample, expected: Expectation, seen: SeenObjects): readonly string[] {
  const { conditions, isActive, history, isRegistered, events = {} } = expected;
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
    history && [
      'the last correction',
      `${history.direction} for ${history.reason}, ${history.count}×, verified`,
      correctionText(sample, seen.policy),
    ],
    isRegistered && ['its dismissal', 'registered', isInRegister(sample, seen) ? 'registered' : 'not registered'],
    ['events', eventText(wantedEvents), eventText(seenEvents)],
  ];
  return pairs.flatMap((pair) => {
    const [what, wanted, found] = pair || [];
    return wanted === found ? [] : [`${sample.name}: expected ${what} to be ${wanted}, saw ${found}`];
  });
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

function correctionText({ alert }: Sample, policy: RoleAlertPolicy | undefined): string {
  const last = policy?.status?.history?.find((entry) => entry.alert === alert);
  if (!last) return 'none';
  const { verifiedAt } = policy?.status?.alerts?.find(({ name }) => name === alert) ?? {};
  // Both are RFC 3339 times in whole seconds and UTC, so they compare as texts.
  const isVerified = verifiedAt !== undefined && verifiedAt >= last.at;
  return `${last.direction} for ${last.reason}, ${last.count}×, ${isVerified ? 'verified' : 'not verified'}`;
}

function isInRegister({ scope, alert, name }: Sample, { connection }: SeenObjects): boolean {
  const entry = connection?.status?.dismissals?.find((each) => each.scope === scope && each.alert === alert);
  const isBounded = entry?.until !== undefined || entry?.incidents !== undefined;
  return isBounded && entry.reason !== undefined && entry.policy === `${demoNamespace}/${name}`;
}

function eventText(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([reason, count]) => `${count} of ${reason}`).join(', ');
}
