// The fields that name the object of a log line: `kind`, `namespace` and `name`, as in the lines of events and conditions.
import { partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';

/** `key`: of a connection; one of cluster scope has no namespace. */
export const connectionFields = partsOfConnectionKey;

/** A line about one scope names the connection through which it is reached. */
export function scopeFields({ connection, scope }: ScopeRef) {
  return { ...connectionFields(connection), scope };
}
