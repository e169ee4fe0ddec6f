// Groups the objects of a preview into scopes to list, as the controller groups its caches: by connection and canonical scope,
// with the policies that may list it, and with the ledger.
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName, type ScopeRef, scopeRefOf } from '../policy/scope-ref.ts';
import type { PolicyInput } from './plan-input.ts';
import { policyInputOf } from './policy-input.ts';

/** The objects that a preview decides on, each key once. Their statuses, if they have any, hold the memory of the operator. */
export interface DeclaredObjects {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  readonly namespaces: readonly NamespaceMetadata[];
}

/** One scope through one connection. */
export interface PreviewScope {
  readonly ref: ScopeRef;
  /** Undefined when no object is the connection that the policies refer to. */
  readonly connection: AnyConnection | undefined;
  /** The policies that may list the scope. */
  readonly policies: readonly PolicyInput[];
  /** Those that the connection does not let list it. */
  readonly denied: readonly PolicyInput[];
  readonly ledger: readonly DismissalRecord[];
}

/** In the order of the policies; scopes that only a ledger names come last. `nowMs`: milliseconds since 1970. */
export function previewScopes(objects: DeclaredObjects, nowMs: number): readonly PreviewScope[] {
  const connections = new Map(objects.connections.map((each) => [namespacedName(each), each]));
  const namespaces = new Map(objects.namespaces.map((each) => [each.metadata.name, each]));
  const placed = objects.policies.map((policy) => {
    const ref = scopeRefOf(policy);
    const connection = connections.get(ref.connection);
    const namespace = namespaces.get(policy.metadata.namespace);
    return { ref, input: policyInputOf({ policy, key: namespacedName(policy), connection, namespace }, nowMs) };
  });
  const ledgers = ledgersOf(connections);
  const refs = new Map([...placed.map(({ ref }) => ref), ...ledgers.values().map(({ ref }) => ref)].map(keyed));
  const byRef = Map.groupBy(placed, ({ ref }) => scopeKey(ref));
  return [...refs].map(([key, ref]) => {
    const inputs = (byRef.get(key) ?? []).map(({ input }) => input);
    return {
      ref,
      connection: connections.get(ref.connection),
      policies: inputs.filter(mayList),
      denied: inputs.filter((input) => !mayList(input)),
      ledger: ledgers.get(key)?.entries ?? [],
    };
  });
}

/** Identifies a scope of a preview. */
export function scopeKey({ connection, scope }: ScopeRef): string {
  return `${connection}\n${scope}`;
}

/** True when the operator lists the scope: a policy there is not suspended, or the ledger has an entry. */
export function isListed({ connection, policies, ledger }: PreviewScope): boolean {
  if (!connection) return false;
  return ledger.length > 0 || policies.some(({ isSuspended }) => !isSuspended);
}

interface ScopeLedger {
  readonly ref: ScopeRef;
  readonly entries: readonly DismissalRecord[];
}

/** By `scopeKey`. */
function ledgersOf(connections: ReadonlyMap<string, AnyConnection>): ReadonlyMap<string, ScopeLedger> {
  const ledgers = [...connections].flatMap(([key, connection]) => {
    const entries = Map.groupBy(connection.status?.dismissals ?? [], ({ scope }) => scope);
    return [...entries].map(([scope, found]): ScopeLedger => ({ ref: { connection: key, scope }, entries: found }));
  });
  return new Map(ledgers.map((ledger) => [scopeKey(ledger.ref), ledger]));
}

const keyed = (ref: ScopeRef): [string, ScopeRef] => [scopeKey(ref), ref];
const mayList = ({ grant }: PolicyInput) => grant.list === 'Allow';
