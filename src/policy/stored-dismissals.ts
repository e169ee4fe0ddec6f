// The readable records of a stored ledger.
import { arrayOf, isNonEmptyString, isString, nonEmptyStringOf, objectOf, stringOf } from '../lib/json-shape.ts';
import type { DismissalRecord } from './generated/role-alert-connection.ts';

/** A record without a time counts as old, and one without a policy belongs to none: then only the live alert decides. */
export function readableDismissals(status: unknown): DismissalRecord[] {
  return arrayOf(objectOf(status)['dismissals']).filter(isRecord).map(readableDismissal);
}

/** What the register shows besides is left out: the next list of the scope derives it again. */
function readableDismissal({ scope, alert, policy, since, missingSince }: StoredRecord): DismissalRecord {
  const record = {
    scope,
    alert,
    policy: stringOf(policy) ?? '',
    since: nonEmptyStringOf(since) ?? '1970-01-01T00:00:00Z',
  };
  return isString(missingSince) ? { ...record, missingSince } : record;
}

type StoredRecord = { scope: string; alert: string } & Record<'policy' | 'since' | 'missingSince', unknown>;

function isRecord(entry: unknown): entry is StoredRecord {
  const { scope, alert } = objectOf(entry);
  return isNonEmptyString(scope) && isNonEmptyString(alert);
}
