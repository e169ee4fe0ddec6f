// The copy of the ledger in the statuses of policies: each row of an alert that this operator deactivated has `dismissedAt`, and the
// status names the service. The copy outlives the connection: one that is created again under the same name takes the entries over.
import { canonicalName } from '../alerts/resource-id.ts';
import { byText } from '../lib/by-text.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName, scopeRefOf } from '../policy/scope-ref.ts';
import { type EventDraft, joinFindings, joinNames, nameLimit } from './event-draft.ts';
import { fitStatus } from './status-size.ts';

/** The number of rows that the schema allows. */
export const rowLimit = 128;

/** The alerts of one policy that this operator deactivated, and where. */
export interface DismissalMarks {
  /** `since` by `canonicalName`. */
  readonly since: ReadonlyMap<string, string>;
  /** The service; see `status.dismissalEndpoint`. */
  readonly endpoint: string | undefined;
}

export const noMarks: DismissalMarks = { since: new Map(), endpoint: undefined };

/** What the ledger of one scope says of the policy. */
export function marksIn(ledger: readonly DismissalRecord[], policyKey: string, endpoint: string): DismissalMarks {
  const own = ledger.filter(({ policy }) => policy === policyKey);
  return own.length === 0
    ? { ...noMarks, endpoint }
    : { since: new Map(own.map(({ alert, since }) => [canonicalName(alert), since])), endpoint };
}

/** What the status of the policy says, without the alerts in `ended` (by `canonicalName`). */
export function storedMarks(
  { alerts = [], dismissalEndpoint }: RoleAlertPolicyStatus,
  ended: ReadonlySet<string> = new Set(),
): DismissalMarks {
  if (dismissalEndpoint === undefined) return noMarks;
  const since = alerts.flatMap(({ name, dismissedAt }): [string, string][] =>
    dismissedAt === undefined || ended.has(canonicalName(name)) ? [] : [[canonicalName(name), dismissedAt]],
  );
  return { since: new Map(since), endpoint: dismissalEndpoint };
}

/**
 * The marks of the next status. Those of another service than the connection reaches stay until a dismissal at this one
 * takes their place: nothing proves that their alerts are active again.
 */
export function nextMarks(previous: RoleAlertPolicyStatus, ledger: DismissalMarks): DismissalMarks {
  const stored = storedMarks(previous);
  const isElsewhere = stored.since.size > 0 && stored.endpoint !== ledger.endpoint;
  return isElsewhere && ledger.since.size === 0 ? stored : ledger;
}

/** The row with its mark, or without one. The same object when nothing changes. */
export function markedRow(row: AlertStatus, { since }: DismissalMarks): AlertStatus {
  const at = since.get(canonicalName(row.name));
  if (at === row.dismissedAt) return row;
  const { dismissedAt: _, ...bare } = row;
  return at === undefined ? bare : { ...bare, dismissedAt: at };
}

/**
 * The status with a mark and nothing else new. `row`: the row of the alert if the status has none yet. The rows with marks
 * are of one service: those of another lose theirs.
 */
export function withMark(
  status: RoleAlertPolicyStatus,
  row: AlertStatus,
  { since, endpoint }: { readonly since: string; readonly endpoint: string },
): RoleAlertPolicyStatus {
  const key = canonicalName(row.name);
  const stored = status.dismissalEndpoint === endpoint ? storedMarks(status) : noMarks;
  const marks = { since: new Map([...stored.since, [key, since]]), endpoint };
  const before = status.alerts ?? [];
  const rows = before.some(({ name }) => canonicalName(name) === key) ? before : withRow(before, row);
  return fitStatus({ ...status, alerts: rows.map((each) => markedRow(each, marks)), dismissalEndpoint: endpoint });
}

/** Instead of a guarded alert if there is no room: the next list restores its row. */
function withRow(rows: readonly AlertStatus[], row: AlertStatus): AlertStatus[] {
  const isSpare = ({ dismissedAt, deactivations }: AlertStatus) => !dismissedAt && !deactivations;
  const spare = rows.length < rowLimit ? -1 : rows.findLastIndex(isSpare);
  return [...rows.filter((_, index) => index !== spare), row].sort((a, b) => byText(a.name, b.name));
}

/** The rows of an earlier list with the marks of now, without those that were there only for a mark. */
export function markedRows(rows: readonly AlertStatus[], marks: DismissalMarks): AlertStatus[] {
  const isNeeded = ({ want, dismissedAt, deactivations }: AlertStatus) =>
    want !== 'None' || dismissedAt !== undefined || deactivations !== undefined;
  return rows.map((row) => markedRow(row, marks)).filter(isNeeded);
}

/** The member of the status that goes with its rows. */
export function endpointOfRows(
  rows: readonly AlertStatus[] | undefined,
  { endpoint }: DismissalMarks,
): Pick<RoleAlertPolicyStatus, 'dismissalEndpoint'> {
  const isMarked = endpoint !== undefined && rows?.some(({ dismissedAt }) => dismissedAt !== undefined);
  return isMarked ? { dismissalEndpoint: endpoint } : {};
}

/**
 * The entries that the status of a policy holds for a connection to `endpoint` (policy/endpoint-key.ts). They concern nothing but
 * the policy's own scope, and cause nothing but activations, so a forged status can do no harm that the declaration of its policy
 * could not.
 */
export function inheritedFrom(policy: RoleAlertPolicy, endpoint: string): DismissalRecord[] {
  const { status } = policy;
  if (status?.dismissalEndpoint !== endpoint) return [];
  const { scope } = scopeRefOf(policy);
  return (status.alerts ?? []).flatMap(({ name, dismissedAt }) =>
    dismissedAt === undefined ? [] : [{ scope, alert: name, policy: namespacedName(policy), since: dismissedAt }],
  );
}

/** The sentence for a policy whose connection does not exist; empty without marks. */
export function lostNotes(status: RoleAlertPolicyStatus, marks: DismissalMarks): string[] {
  const found = `deactivated by the operator at ${marks.endpoint} through this connection, and not proven active since.`;
  return note(
    status,
    marks,
    found,
    (them) => `Create the connection again with that endpoint, or activate ${them} in the service.`,
  );
}

/** The sentence for a policy whose connection reaches another service than the marks name; empty without such marks. */
export function elsewhereNotes(
  status: RoleAlertPolicyStatus,
  marks: DismissalMarks,
  endpoint: string | undefined,
): string[] {
  if (marks.endpoint === endpoint) return [];
  const found = `deactivated by the operator at ${marks.endpoint}, which the connection does not reach.`;
  return note(
    status,
    marks,
    found,
    (them) => `Activate ${them} there, or create the connection again with that endpoint.`,
  );
}

function note(
  { alerts = [] }: RoleAlertPolicyStatus,
  { since }: DismissalMarks,
  found: string,
  next: (them: string) => string,
): string[] {
  const names = namesOf(alerts.filter(({ name }) => since.has(canonicalName(name))));
  if (names.length === 0) return [];
  const isOne = names.length === 1;
  return [`${isOne ? 'Alert' : 'Alerts'} ${joinNames(names, nameLimit)}: ${found} ${next(isOne ? 'it' : 'them')}`];
}

function namesOf(rows: readonly AlertStatus[]): string[] {
  return rows.map(({ name }) => name).sort();
}

/** The event for marks that the next status replaces by those of another service. */
export function replacedMarkEvents(
  previous: RoleAlertPolicyStatus | undefined,
  next: RoleAlertPolicyStatus,
): EventDraft[] {
  const endpoint = previous?.dismissalEndpoint;
  if (endpoint === undefined || next.dismissalEndpoint === undefined || next.dismissalEndpoint === endpoint) return [];
  const marked = (previous?.alerts ?? []).filter(({ dismissedAt }) => dismissedAt !== undefined);
  const end = `at ${endpoint}, which the connection does not reach; the dismissal there is no longer recorded`;
  const sentence = {
    one: `The operator deactivated alert {alerts} ${end}. Activate it there.`,
    many: `The operator deactivated alerts {alerts} ${end}. Activate them there.`,
  };
  return joinFindings(
    namesOf(marked).map((alert) => ({
      alert,
      type: 'Warning',
      reason: 'DismissalDropped',
      action: 'Reconcile',
      sentence,
    })),
  );
}
