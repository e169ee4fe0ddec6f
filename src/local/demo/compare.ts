// Whether a sample is where the story wants it, and if not, in words how it differs.
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { Expectation, Sample } from './samples.ts';

/** What is seen of one sample: its object, and the flag that the service shows. */
export interface Seen {
  readonly policy: RoleAlertPolicy | undefined;
  readonly isActive: boolean | undefined;
}

/** `True/Succeeded`, or `-` while there is no Ready condition. */
export function readyOf(policy: RoleAlertPolicy | undefined): string {
  const ready = policy?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready ? `${ready.status}/${ready.reason}` : '-';
}

/** Nothing when everything is as expected. */
export function differences(sample: Sample, expected: Expectation, seen: Seen): readonly string[] {
  const found = [];
  const ready = readyOf(seen.policy);
  if (ready !== expected.ready) found.push(`${sample.name}: expected Ready ${expected.ready}, saw ${ready}`);
  if (seen.isActive !== expected.isActive) {
    found.push(`${sample.name}: expected the service to show ${flag(expected.isActive)}, saw ${flag(seen.isActive)}`);
  }
  if (expected.history && !hasHistory(expected.history, seen.policy)) {
    const { direction, reason, count } = expected.history;
    found.push(`${sample.name}: expected ${direction} for ${reason} ${count} times in the history, and verified`);
  }
  return found;
}

function flag(isActive: boolean | undefined): string {
  if (isActive === undefined) return 'no such alert';
  return isActive ? 'active' : 'inactive';
}

function hasHistory(expected: NonNullable<Expectation['history']>, policy: RoleAlertPolicy | undefined): boolean {
  const isTold = policy?.status?.history?.some(
    ({ direction, reason, count }) =>
      direction === expected.direction && reason === expected.reason && count >= expected.count,
  );
  const isVerified = policy?.status?.alerts?.some(({ verifiedAt }) => verifiedAt !== undefined);
  return isTold === true && isVerified === true;
}
