// The policies that declare the live alerts of a scope in the states that they have, so that the operator changes nothing.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { byText } from '../../lib/by-text.ts';
import { parseDuration } from '../../lib/duration.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { Dismissal, PolicyAlert, RoleAlertPolicySpec } from '../../policy/generated/role-alert-policy.ts';
import { type AnyConnection, groupVersion, policyKind } from '../../policy/resources.ts';
import { exportName } from './export-name.ts';

/** The reason of an exported dismissal. The schema demands more characters, so nothing is applied before a person fills it in. */
export const missingReason = 'TODO';

export interface ExportOptions {
  readonly connection: AnyConnection;
  /** Of the policies; undefined leaves it to kubectl. */
  readonly namespace: string | undefined;
  readonly mode: RoleAlertPolicySpec['mode'];
  /** Leaves out the inactive alerts. */
  readonly isActiveOnly: boolean;
  /** How long the dismissals last at most. */
  readonly dismissalMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export interface ExportedPolicy {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof policyKind;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Pick<RoleAlertPolicySpec, 'connectionRef' | 'scope' | 'mode' | 'alerts'>;
}

export interface ScopeExport {
  readonly scope: string;
  /** Several for a scope with more alerts than one policy may declare; none without an alert to declare. */
  readonly policies: readonly ExportedPolicy[];
  /** How many dismissals they declare. */
  readonly dismissals: number;
  /** Names of the alerts that no policy can declare. */
  readonly left: readonly string[];
}

/** What the schema allows. */
const mostAlerts = 64;
const mostNamedIncidents = 64;
const longestIncidentId = 256;
const mostIncidents = 100_000;
const alertNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9._()~-]{1,256}$/;

const dayMs = 86_400_000;

/** `alerts` are one list of the scope, which has no name twice: the client refuses a list that has. */
export function exportScope(scope: string, alerts: readonly Alert[], options: ExportOptions): ScopeExport {
  const wanted = alerts.filter(({ isActive }) => isActive || !options.isActiveOnly);
  const [declared, left] = [wanted.filter(isDeclarable), wanted.filter((alert) => !isDeclarable(alert))];
  const entries = declared.sort((a, b) => byText(a.name, b.name)).map((alert) => entryOf(alert, options));
  const parts = Array.from({ length: Math.ceil(entries.length / mostAlerts) }, (_, part) =>
    entries.slice(part * mostAlerts, (part + 1) * mostAlerts),
  );
  return {
    scope,
    policies: parts.map((part, index) => policyOf(exportName(scope, index), scope, part, options)),
    dismissals: entries.filter(({ dismissal }) => dismissal).length,
    left: left.map(({ name }) => name),
  };
}

function isDeclarable({ name, isActive, incidentCount }: Alert): boolean {
  return alertNamePattern.test(name) && (isActive || incidentCount <= mostIncidents);
}

function policyOf(
  name: string,
  scope: string,
  alerts: readonly PolicyAlert[],
  { connection, namespace, mode }: ExportOptions,
): ExportedPolicy {
  return {
    apiVersion: groupVersion,
    kind: policyKind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { connectionRef: { kind: connection.kind, name: connection.metadata.name }, scope, mode, alerts },
  };
}

function entryOf(alert: Alert, options: ExportOptions): PolicyAlert {
  if (alert.isActive) return { name: alert.name, state: 'Active' };
  return { name: alert.name, state: 'Inactive', dismissal: { reason: missingReason, ...boundsOf(alert, options) } };
}

/** Covers the present incidents and no other: by their ids where the service lists all of them, otherwise by their number. */
function boundsOf(
  { incidents, incidentCount }: Alert,
  { connection, dismissalMs, nowMs }: ExportOptions,
): Omit<Dismissal, 'reason'> {
  const ids = [...new Map(incidents.map(({ id }) => [canonicalName(id), id])).values()];
  const isNamed =
    ids.length > 0 &&
    ids.length <= mostNamedIncidents &&
    incidents.length === incidentCount &&
    ids.every((id) => id !== '' && id.length <= longestIncidentId);
  if (isNamed) return { incidents: ids.sort(byText), until: endOf(nowMs, dismissalMs) };
  const longestMs = parseDuration(connection.spec.limits.maxDismissal) ?? dismissalMs;
  return { maxIncidents: incidentCount, until: endOf(nowMs, Math.min(dismissalMs, longestMs)) };
}

/** A midnight in UTC where that shortens the dismissal by less than a day of many, so that two exports of one day agree. */
function endOf(nowMs: number, lengthMs: number): string {
  const endMs = nowMs + lengthMs;
  return formatTimestamp(lengthMs > 2 * dayMs ? endMs - (endMs % dayMs) : endMs);
}
