// Updates of flags on PostgreSQL, many in two statements: one reads the alerts, one writes those that nothing has changed in between.
// The rest is read again. So a row is locked only within one statement, and an update of another process is never overwritten.
import { canonicalName } from '../../alerts/resource-id.ts';
import { settle } from '../../lib/errors.ts';
import { withModifier } from '../alerts/alert-document.ts';
import type { ActiveChange, ChangeOutcome } from '../alerts/alert-store.ts';
import { auditColumns, auditParameters } from '../audit/audit-record.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { SqlRow, SqlValue } from '../database/sql.ts';
import { alertTexts } from './alert-texts.ts';
import type { PostgresQueries } from './postgres-pool.ts';

/** Each attempt that fails for one process succeeds for another. */
const mostAttempts = 50;

type Outcome = PromiseSettledResult<ChangeOutcome>;

/** The outcomes in the order of the changes; one that fails fails no other. Changes of one alert apply in their order. */
export async function changeFlags(
  queries: PostgresQueries,
  changes: readonly ActiveChange[],
): Promise<readonly Outcome[]> {
  const outcomes = new Map<ActiveChange, Outcome>();
  for (let attempts = 0; outcomes.size < changes.length; attempts++) {
    if (attempts === mostAttempts) throw new DatabaseError('database-busy', 'The alerts change too often.');
    const left = changes.filter((change) => !outcomes.has(change));
    for (const [change, outcome] of await attempt(queries, left)) outcomes.set(change, outcome);
  }
  return changes.map((change) => outcomes.get(change) as Outcome);
}

/** The outcomes except of those changes whose alert another transaction has changed meanwhile. */
async function attempt(
  queries: PostgresQueries,
  changes: readonly ActiveChange[],
): Promise<readonly (readonly [ActiveChange, Outcome])[]> {
  const alerts = await readFlags(queries, changes);
  const missing = changes.filter((change) => !alerts.has(keyOf(change)));
  const known = missing.length === 0 ? new Set() : await knownScopes(queries, missing);
  const outcomes = changes.map((change): readonly [ActiveChange, Outcome] => {
    const alert = alerts.get(keyOf(change));
    const isKnown = known.has(canonicalName(change.scope));
    return [change, settle(() => alert?.apply(change) ?? (isKnown ? 'alert-unknown' : 'scope-unknown'))];
  });
  const changed = [...alerts.values()].filter((alert) => alert.isChanged());
  const written = changed.length === 0 ? new Set() : await writeFlags(queries, changed);
  return outcomes.filter(([change]) => {
    const alert = alerts.get(keyOf(change));
    return !alert?.isChanged() || written.has(alert.position);
  });
}

interface Flags {
  readonly isActive: number;
  readonly systemData: string | null;
}

/** One alert while the changes of a batch apply to it. */
interface ChangingAlert {
  readonly position: number;
  readonly before: Flags;
  /** The records of the changes that apply. */
  readonly records: readonly (readonly SqlValue[])[];
  after(): Flags;
  apply(change: ActiveChange): ChangeOutcome;
  isChanged(): boolean;
}

function changingAlert(row: SqlRow): ChangingAlert {
  const systemData = row['system_data'];
  const before = { isActive: Number(row['is_active']), systemData: systemData === null ? null : String(systemData) };
  let after: Flags = before;
  const records: (readonly SqlValue[])[] = [];
  return {
    position: Number(row['position']),
    before,
    records,
    after: () => after,
    apply({ scope, alertName, isActive, modifier, cause }) {
      if ((after.isActive === 1) === isActive) return 'unchanged';
      after = { isActive: isActive ? 1 : 0, systemData: withModifier(after.systemData, modifier) };
      const change = { atMs: modifier.atMs, scope, alertName, from: !isActive, to: isActive };
      if (cause) records.push(auditParameters(change, cause));
      return 'changed';
    },
    isChanged: () => after !== before,
  };
}

/** With the position of the alert. */
const recordColumns = ['position', ...auditColumns.split(', ')];

async function readFlags(
  queries: PostgresQueries,
  changes: readonly ActiveChange[],
): Promise<ReadonlyMap<string, ChangingAlert>> {
  const wanted = [...new Map(changes.map((change) => [keyOf(change), change])).values()];
  const scopes = wanted.map(({ scope }) => canonicalName(scope));
  const names = wanted.map(({ alertName }) => canonicalName(alertName));
  const rows = await queries.query(alertTexts.flags, [scopes, names]);
  return new Map(rows.map((row) => [`${String(row['scope_key'])}\n${String(row['alert_key'])}`, changingAlert(row)]));
}

/** The positions of the alerts that were still as read. */
async function writeFlags(queries: PostgresQueries, alerts: readonly ChangingAlert[]): Promise<ReadonlySet<unknown>> {
  const records = alerts.flatMap((alert) => alert.records.map((record) => [alert.position, ...record]));
  const rows = await queries.query(alertTexts.setFlags, [
    alerts.map(({ position }) => position),
    alerts.map(({ before }) => before.isActive),
    alerts.map(({ before }) => before.systemData),
    alerts.map((alert) => alert.after().isActive),
    alerts.map((alert) => alert.after().systemData),
    ...recordColumns.map((_, index) => records.map((record) => record[index] ?? null)),
  ]);
  return new Set(rows.map((row) => row['position']));
}

async function knownScopes(queries: PostgresQueries, changes: readonly ActiveChange[]): Promise<ReadonlySet<unknown>> {
  const scopes = [...new Set(changes.map(({ scope }) => canonicalName(scope)))];
  const rows = await queries.query(alertTexts.knownScopes, [scopes]);
  return new Set(rows.map((row) => row['scope_key']));
}

/** Names contain no control characters. */
function keyOf({ scope, alertName }: ActiveChange): string {
  return `${canonicalName(scope)}\n${canonicalName(alertName)}`;
}
