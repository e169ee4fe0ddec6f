// Describes the differences between the observed state of a sample and its expectation.
import type { RoleAlertConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { Expectation } from './expectations.ts';
import { demoNamespace } from './manifests.ts';
import type { Sample } from './sample.ts';

/** The observed state of one sample: its policy and connection, the service's `isActive`, the reasons of its policy's events. */
export interface SeenObjects {
  readonly policy: RoleAlertPolicy | undefined;
  readonly connection: RoleAlertConnection | undefined;
  readonly isActive: boolean | undefined;
  readonly events: readonly string[];
}

/** Status and reason of a condition, for example `True/Succeeded`; undefined when the condition does not exist. */
export function conditionText(policy: RoleAlertPolicy | undefined, type: string): string | undefined {
  const condition = policy?.status?.conditions?.find((candidate) => candidate.type === type);
  return condition && `${condition.status}/${condition.reason}`;
}

/** One line for each difference; none when everything is as expected. */
export function differences(sample: Sample, expected: Expectation, seen: SeenObjects): readonly string[] {
  const pairs: [what: string, expected: string, seen: string][] = [
    ...Object.entries(expected.conditions).map(([type, wanted]): [string, string, string] => [
      type,
      wanted,
      conditionText(seen.policy, type) ?? 'no such condition',
    ]),
    ["the service's flag", flagText(expected.isActive), flagText(seen.isActive)],
    ['the last correction', historyText(expected), correctionText(sample, expected, seen.policy)],
    [
      'its dismissal',
      registerText(expected.isRegistered),
      registerText(expected.isRegistered && isRegistered(sample, seen)),
    ],
    ['events', eventText(expected.events), eventText(countEvents(expected, seen))],
  ];
  return pairs
    .filter(([, wanted, found]) => wanted !== found)
    .map(([what, wanted, found]) => `${sample.name}: expected ${what} to be ${wanted}, saw ${found}`);
}

function flagText(isActive: boolean | undefined): string {
  if (isActive === undefined) return 'absent';
  return isActive ? 'active' : 'inactive';
}

/** Empty when the sample expects no correction; then nothing is compared. */
function historyText({ history }: Expectation): string {
  return history ? `${history.direction} for ${history.reason}, ${history.count}×, verified` : '';
}

function correctionText({ alert }: Sample, { history }: Expectation, policy: RoleAlertPolicy | undefined): string {
  if (!history) return '';
  const last = policy?.status?.history?.find((entry) => entry.alert === alert);
  if (!last) return 'none';
  const { verifiedAt } = policy?.status?.alerts?.find(({ name }) => name === alert) ?? {};
  // Both are RFC 3339 times in whole seconds and UTC, so they compare as texts.
  const isVerified = verifiedAt !== undefined && verifiedAt >= last.at;
  return `${last.direction} for ${last.reason}, ${last.count}×, ${isVerified ? 'verified' : 'not verified'}`;
}

/** Empty when the sample expects no entry; then nothing is compared. */
function registerText(isRegistered: boolean | undefined): string {
  if (isRegistered === undefined) return '';
  return isRegistered ? 'registered' : 'not registered';
}

function isRegistered({ scope, alert, name }: Sample, { connection }: SeenObjects): boolean {
  const entry = connection?.status?.dismissals?.find((each) => each.scope === scope && each.alert === alert);
  const isBounded = entry?.until !== undefined || entry?.incidents !== undefined;
  return isBounded && entry.reason !== undefined && entry.policy === `${demoNamespace}/${name}`;
}

function eventText(events: Expectation['events'] = {}): string {
  return Object.entries(events)
    .map(([reason, count]) => `${count} of ${reason}`)
    .join(', ');
}

/** The number of events with each expected reason, at most the expected number. */
function countEvents({ events = {} }: Expectation, seen: SeenObjects): Readonly<Record<string, number>> {
  const counts = Object.entries(events).map(([reason, count]): [string, number] => [
    reason,
    Math.min(count, seen.events.filter((each) => each === reason).length),
  ]);
  return Object.fromEntries(counts);
}
