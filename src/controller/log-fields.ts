// The fields that name the object of a log line: `kind`, `namespace` and `name`, as in the lines of events and conditions.
import { connectionKind } from '../policy/resources.ts';
import type { ScopeRef } from './policy-index.ts';

/** `key`: `namespace/name` of a connection. */
export function connectionFields(key: string): {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
} {
  const [namespace, name] = key.split('/');
  return { kind: connectionKind, namespace, name };
}

/** A line about one scope names the connection through which it is reached. */
export function scopeFields({ connection, scope }: ScopeRef): ReturnType<typeof connectionFields> & ScopeOnly {
  return { ...connectionFields(connection), scope };
}

type ScopeOnly = Pick<ScopeRef, 'scope'>;
