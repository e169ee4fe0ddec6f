// One scan: reads the source, then writes each scope in one transaction. The service handles requests between two scopes.
// scan-alert.ts computes the alerts; scanner.ts schedules the scans.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { canonicalName } from '../../alerts/resource-id.ts';
import { StoppedError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { nameOf, storeAlert } from '../alerts/alert-document.ts';
import type { AlertTransaction } from '../alerts/alert-store.ts';
import { recordChange, type AuditedChange } from '../audit/audit-record.ts';
import { DataFileError } from '../database/data-file-error.ts';
import type { SqlQueries } from '../database/sql.ts';
import { scannerName, type ScanCounts, type ScannerParts } from '../scanner.ts';
import type { Assignments, AssignmentSource, ScopeFacts } from './assignments.ts';
import { evaluate } from './evaluate.ts';
import { alertKinds, type AlertKind, type Thresholds } from './kinds.ts';
import { isScanned, scanAlert, thresholdsOf, type ScannedAlert } from './scan-alert.ts';
import { addScannedScope, listScannedScopes, removeScannedScope } from './scanned-scopes.ts';

/** What a scan needs of `ScannerOptions`. */
export interface ScanDeps extends Pick<ScannerParts, 'store' | 'sql' | 'providerNamespace' | 'isAudited' | 'clock'> {
  readonly source: AssignmentSource;
  readonly thresholds: Thresholds;
}

/**
 * Rejects without a write when the source rejects, and with `stopped` after the current scope when `signal` aborts. A scope that is damaged
 * on disk fails the scan only after all the others are scanned.
 */
export async function scanOnce(deps: ScanDeps, signal: AbortSignal): Promise<ScanCounts> {
  const found = await deps.source.read(signal);
  const named = new Set(found.map(({ scope }) => canonicalName(scope)));
  const gone = (await listScannedScopes(deps.sql)).filter((scope) => !named.has(scope));
  const counts = { scopes: 0, raised: 0, refreshed: 0, cleared: 0, disabled: 0 };
  const damage: DataFileError[] = [];
  for (const facts of [...found, ...gone.map(withoutAssignments)]) {
    if (signal.aborted) throw new StoppedError('The scan was stopped.');
    const outcomes = await scanSoundScope(deps, facts, named.has(canonicalName(facts.scope)));
    if (outcomes instanceof DataFileError) damage.push(outcomes);
    else count(counts, outcomes);
    await nextTurn();
  }
  const [first] = damage;
  if (first) throw first;
  return counts;
}

function withoutAssignments(scope: string): Assignments[number] {
  return { scope, assignments: [], roles: [] };
}

type Outcome = Exclude<keyof ScanCounts, 'scopes'>;

type MutableCounts = { -readonly [Name in keyof ScanCounts]: number };

function count(counts: MutableCounts, outcomes: readonly Outcome[]): void {
  counts.scopes += 1;
  for (const outcome of outcomes) counts[outcome] += 1;
}

/** The error of a damaged scope instead of its outcomes. */
async function scanSoundScope(
  deps: ScanDeps,
  facts: ScopeFacts,
  isNamed: boolean,
): Promise<readonly Outcome[] | DataFileError> {
  try {
    return await scanScope(deps, facts, isNamed);
  } catch (error) {
    if (error instanceof DataFileError && error.code === 'data-file-damaged') return error;
    throw error;
  }
}

/** Creates no alerts in a scope that the source no longer names, and forgets it once all its alerts are scanned. */
function scanScope(deps: ScanDeps, facts: ScopeFacts, isNamed: boolean): MaybePromise<readonly Outcome[]> {
  const { scope } = facts;
  return deps.store.transaction(async (tx) => {
    const there = (await readAlerts(tx, scope)).filter(({ before }) => isNamed || before !== undefined);
    const outcomes = await writeAlerts(deps, tx, facts, there);
    if (isNamed) await addScannedScope(tx.sql, scope);
    else if (!outcomes.includes('disabled')) await removeScannedScope(tx.sql, scope);
    return outcomes;
  });
}

interface KnownAlert {
  readonly kind: AlertKind;
  readonly before: JsonObject | undefined;
}

async function readAlerts(tx: AlertTransaction, scope: string): Promise<readonly KnownAlert[]> {
  const alerts: KnownAlert[] = [];
  for (const kind of alertKinds) {
    const text = await tx.readAlert(scope, kind);
    alerts.push({ kind, before: text === undefined ? undefined : (JSON.parse(text) as JsonObject) });
  }
  return alerts;
}

async function writeAlerts(
  { thresholds: defaults, providerNamespace, isAudited, clock }: ScanDeps,
  tx: AlertTransaction,
  facts: ScopeFacts,
  alerts: readonly KnownAlert[],
): Promise<readonly Outcome[]> {
  const nowMs = clock.now();
  const thresholds: Thresholds = Object.assign(
    {},
    defaults,
    ...alerts.map(({ kind, before }) => thresholdsOf(before, kind, defaults)),
  );
  const findings = evaluate(facts, thresholds, nowMs);
  const outcomes: Outcome[] = [];
  for (const { kind, before } of alerts) {
    const place = { scope: facts.scope, kind, providerNamespace, nowMs, defaults };
    const scanned = isScanned(before) ? scanAlert(before, findings[kind], place) : undefined;
    if (scanned) await tx.putAlert(facts.scope, storeAlert(scanned.alert, nameOf(scanned.alert) ?? kind, place));
    if (isAudited && scanned) await recordScan(tx.sql, { scope: facts.scope, atMs: nowMs, alertName: kind }, scanned);
    outcomes.push(outcomeOf(scanned));
  }
  return outcomes;
}

/** Records a change of the flag only. */
async function recordScan(
  sql: SqlQueries,
  change: AuditedChange,
  { isRaised, isCleared }: ScannedAlert,
): Promise<void> {
  const cause = { action: 'scan', actorType: 'scanner', actor: scannerName } as const;
  if (isRaised || isCleared) await recordChange(sql, { ...change, from: isCleared, to: isRaised }, cause);
}

function outcomeOf(scanned: ScannedAlert | undefined): Outcome {
  if (!scanned) return 'disabled';
  if (scanned.isRaised) return 'raised';
  return scanned.isCleared ? 'cleared' : 'refreshed';
}
