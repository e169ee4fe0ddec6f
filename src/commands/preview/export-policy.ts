// The policies that declare the live alerts of a scope in the states that they have, so that the operator changes nothing.
import { createHash } from 'node:crypto';

import { canonicalName, canonicalScope } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { byText } from '../../lib/compare-text.ts';
import { parseDuration } from '../../lib/duration.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { Dismissal, PolicyAlert, RoleAlertPolicySpec } from '../../policy/generated/role-alert-policy.ts';
import { type AnyConnection, displayNameAnnotation, groupVersion, policyKind } from '../../policy/resources.ts';

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
  /** Of the scope. */
  readonly displayName?: string | undefined;
}

export interface ExportedPolicy {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof policyKind;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
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
  { connection, namespace, mode, displayName }: ExportOptions,
): ExportedPolicy {
  return {
    apiVersion: groupVersion,
    kind: policyKind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(displayName !== undefined && { annotations: { [displayNameAnnotation]: displayName } }),
    },
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
  const bounds = isNamed ? { incidents: ids.sort(byText) } : { maxIncidents: incidentCount };
  const { limits } = connection.spec;
  const isLimited = !isNamed || limits.dismissalsNeedEnd === true;
  const longestMs = (isLimited ? parseDuration(limits.maxDismissal) : undefined) ?? dismissalMs;
  return { ...bounds, until: endOf(nowMs, Math.min(dismissalMs, longestMs)) };
}

/** A midnight in UTC where that shortens the dismissal by less than a day of many, so that two exports of one day agree. */
function endOf(nowMs: number, lengthMs: number): string {
  const endMs = nowMs + lengthMs;
  return formatTimestamp(lengthMs > 2 * dayMs ? endMs - (endMs % dayMs) : endMs);
}

/** The maximum length of a DNS label. */
const limit = 63;
const hashLength = 10;

/** A whole subscription by its id, which is a name already. */
const plain = /^subscriptions\/([a-z0-9]([a-z0-9-]*[a-z0-9])?)$/;

/**
 * The name of the policy for a scope: a DNS label that depends on the scope alone. `subscription-ID` for a whole subscription. Other scopes end with a hash of the canonical scope, because different ones would
 * share their readable part. Spellings of one scope have one name. `part`: from 1 for further policies of the scope.
 */
export function exportName(scope: string, part = 0): string {
  const canonical = canonicalScope(scope);
  const suffix = part === 0 ? '' : `-${part + 1}`;
  const [, id] = plain.exec(canonical) ?? [];
  const name = `subscription-${id}${suffix}`;
  if (id !== undefined && name.length <= limit) return name;
  const end = `-${hashOf(canonical)}${suffix}`;
  return `${readable(canonical, limit - end.length)}${end}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}

/** The end of the scope says more than its beginning. Begins with a letter. */
function readable(canonical: string, length: number): string {
  const words = canonical.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  const end = `scope-${words}`.length <= length ? words : words.slice(-(length - 'scope-'.length));
  return `scope-${end}`.replace(/-{2,}/g, '-').replace(/-$/, '');
}
