// The register: what an entry of the ledger shows of the dismissal that keeps its alert inactive. Every list of the scope
// derives it from the policies, and no decision reads it except for the name of the policy. Reports and metrics add the dismissals of alerts
// that the operator did not deactivate.
import { canonicalName, canonicalScope, sameName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { byText } from '../../lib/compare-text.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import { dismissalEndMs } from '../../policy/dismissal.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { Dismissal } from '../../policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';

/** The time within which a list has to show a write, in milliseconds: after it decide/writes.ts counts the write as not verified, and a list may resolve its entry in the ledger. */
export const verifyDeadlineMs = 120_000;

/** Without a declared dismissal it has the policy only, the last one that declared one. */
export type Declaration = Pick<DismissalRecord, 'policy' | 'until' | 'incidents' | 'maxIncidents' | 'reason'>;

/** How many UTF-16 units of a reason an entry shows. */
const reasonLimit = 120;
/** The last second of a date that the schema accepts. */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** What the policy `key` declares about the alert. */
export function declarationOf(policy: RoleAlertPolicy, key: string, alert: string): Declaration {
  const dismissal = policy.spec.alerts?.find(({ name }) => sameName(name, alert))?.dismissal;
  return dismissal ? declarationWith(dismissal, key) : { policy: key };
}

function declarationWith(dismissal: Dismissal, key: string): Declaration {
  const { maxIncidents } = dismissal;
  return {
    policy: key,
    ...endOf(dismissal),
    ...namedBy(dismissal),
    ...(maxIncidents !== undefined && { maxIncidents }),
    reason: cleanText(dismissal.reason, reasonLimit),
  };
}

function endOf(dismissal: Dismissal): Pick<Declaration, 'until'> {
  const endMs = dismissalEndMs(dismissal);
  return endMs === undefined ? {} : { until: formatTimestamp(Math.min(endMs, latestMs)) };
}

function namedBy({ incidents = [] }: Dismissal): Pick<Declaration, 'incidents'> {
  return incidents.length === 0 ? {} : { incidents: incidents.length };
}

/** The entry with that declaration in the place of the one that it shows. */
export function withDeclaration(entry: DismissalRecord, declaration: Declaration): DismissalRecord {
  const { scope, alert, since, missingSince } = entry;
  const { policy, ...declared } = declaration;
  return { scope, alert, policy, since, ...declared, ...(missingSince !== undefined && { missingSince }) };
}

/** By the end of the dismissal, those without an end last; then by scope and alert. */
export function sortedByEnd(entries: readonly DismissalRecord[]): DismissalRecord[] {
  const keyed = entries.map((entry) => ({ entry, key: `${entry.until ?? noEnd}\n${entry.scope}\n${entry.alert}` }));
  return keyed.sort((a, b) => byText(a.key, b.key)).map(({ entry }) => entry);
}

/** Sorts after every year. */
const noEnd = '~';

/** An alert that is inactive as a policy declares it, or because of the operator. */
export interface DismissalInForce extends Omit<DismissalRecord, 'since'> {
  /** Only of an entry of a ledger. */
  readonly since?: string;
  /** The key of the connection. */
  readonly connection: string;
  /** Unknown where the connection was not read. */
  readonly deactivatedBy: 'Operator' | 'Other' | 'Unknown';
}

/** The entries of the ledgers, and the dismissals of other alerts as far as the statuses of the policies show them. */
export function dismissalsInForce(
  policies: readonly RoleAlertPolicy[],
  connections: readonly AnyConnection[],
  nowMs: number,
): readonly DismissalInForce[] {
  const recorded = connections.flatMap((connection) => {
    const by = { connection: namespacedName(connection), deactivatedBy: 'Operator' } as const;
    return (connection.status?.dismissals ?? []).map((record): DismissalInForce => Object.assign({}, record, by));
  });
  const keys = new Set(recorded.map(keyOf));
  const read = new Set(connections.map(namespacedName));
  const others = policies.flatMap((policy) => dismissedBy(policy, read, nowMs));
  return [...recorded, ...others.filter((each) => !keys.has(keyOf(each)))];
}

function keyOf({ connection, scope, alert }: DismissalInForce): string {
  return `${connection}\n${scope}\n${canonicalName(alert)}`;
}

/** Reasons of Ready of policies that no list decides. */
const withoutList: ReadonlySet<string | undefined> = new Set([
  'Suspended',
  'AccessDenied',
  'ConnectionDeleting',
  'ConnectionNotFound',
]);

/** `read`: the keys of the connections whose ledgers are known. */
function dismissedBy(policy: RoleAlertPolicy, read: ReadonlySet<string>, nowMs: number): readonly DismissalInForce[] {
  // Then the rows are those of an earlier list, and the operator may have activated the alerts since.
  if (withoutList.has(policy.status?.conditions?.find(({ type }) => type === 'Ready')?.reason)) return [];
  const connection = connectionKeyOf(policy);
  const scope = canonicalScope(policy.spec.scope);
  const declared = new Map(policy.spec.alerts?.map((alert) => [canonicalName(alert.name), alert.dismissal]));
  return (policy.status?.alerts ?? []).flatMap(({ name, want, live, result }) => {
    if (want !== 'Inactive' || live !== 'Inactive' || result !== 'InSync') return [];
    const dismissal = declared.get(canonicalName(name));
    if (!dismissal || (dismissalEndMs(dismissal) ?? Infinity) <= nowMs) return [];
    const deactivatedBy = read.has(connection) ? ('Other' as const) : ('Unknown' as const);
    const declaration = declarationWith(dismissal, namespacedName(policy));
    return [Object.assign({ scope, alert: name, connection, deactivatedBy }, declaration)];
  });
}
