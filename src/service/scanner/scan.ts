// One scan: reads the source, then writes each scope in one transaction. The service handles requests between two scopes.
// scan-alert.ts computes the alerts; scanner.ts schedules the scans.
import { setImmediate as nextTurn } from 'node:timers/promises';

import { canonicalName } from '../../alerts/resource-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { StoppedError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { nameOf, storeAlert } from '../alerts/alert-document.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import type { Assignments, AssignmentSource, ScopeFacts } from './assignments.ts';
import { evaluate } from './evaluate.ts';
import { alertKinds, type AlertKind, type Thresholds } from './kinds.ts';
import { isScanned, scanAlert, thresholdsOf } from './scan-alert.ts';
import type { ScannedScopes } from './scanned-scopes.ts';

export interface ScanDeps {
  readonly source: AssignmentSource;
  /** For alerts without thresholds in their configuration. */
  readonly thresholds: Thresholds;
  readonly store: Pick<AlertStore, 'readAlert' | 'putAlert' | 'transaction'>;
  readonly scannedScopes: ScannedScopes;
  readonly providerNamespace: string;
  readonly clock: Clock;
}

/** Counts of one scan: scopes, and alerts by outcome. */
export interface ScanCounts {
  readonly scopes: number;
  /** Activated because of new incidents. */
  readonly raised: number;
  /** Scanned without a change of the flag. */
  readonly refreshed: number;
  /** Deactivated because no incident is left. */
  readonly cleared: number;
  /** Not scanned because their configuration has `isEnabled: false`. */
  readonly disabled: number;
}

/** Rejects without a write when the source rejects, and with `stopped` after the current scope when `signal` aborts. */
export async function scanOnce(deps: ScanDeps, signal: AbortSignal): Promise<ScanCounts> {
  const found = await deps.source.read(signal);
  const named = new Set(found.map(({ scope }) => canonicalName(scope)));
  const gone = deps.scannedScopes.list().filter((scope) => !named.has(scope));
  const counts = { scopes: 0, raised: 0, refreshed: 0, cleared: 0, disabled: 0 };
  for (const facts of [...found, ...gone.map(withoutAssignments)]) {
    if (signal.aborted) throw new StoppedError('The scan was stopped.');
    const outcomes = scanScope(deps, facts, named.has(canonicalName(facts.scope)));
    counts.scopes += 1;
    for (const outcome of outcomes) counts[outcome] += 1;
    await nextTurn();
  }
  return counts;
}

function withoutAssignments(scope: string): Assignments[number] {
  return { scope, assignments: [], roles: [] };
}

type Outcome = Exclude<keyof ScanCounts, 'scopes'>;

/** Creates no alerts in a scope that the source no longer names, and forgets it once all its alerts are scanned. */
function scanScope(deps: ScanDeps, facts: ScopeFacts, isNamed: boolean): readonly Outcome[] {
  const { scope } = facts;
  const { store, scannedScopes } = deps;
  const outcomes: Outcome[] = [];
  store.transaction(() => {
    const alerts = alertKinds.map((kind) => ({ kind, before: readAlert(store, scope, kind) }));
    const there = isNamed ? alerts : alerts.filter(({ before }) => before !== undefined);
    outcomes.push(...writeAlerts(deps, facts, there));
    if (isNamed) scannedScopes.add(scope);
    else if (!outcomes.includes('disabled')) scannedScopes.remove(scope);
  });
  return outcomes;
}

interface KnownAlert {
  readonly kind: AlertKind;
  readonly before: JsonObject | undefined;
}

function writeAlerts(deps: ScanDeps, facts: ScopeFacts, alerts: readonly KnownAlert[]): readonly Outcome[] {
  const { store, thresholds: defaults, providerNamespace, clock } = deps;
  const nowMs = clock.now();
  const thresholds: Thresholds = Object.assign(
    {},
    defaults,
    ...alerts.map(({ kind, before }) => thresholdsOf(before, kind, defaults)),
  );
  const findings = evaluate(facts, thresholds, nowMs);
  return alerts.map(({ kind, before }) => {
    if (!isScanned(before)) return 'disabled';
    const place = { scope: facts.scope, kind, providerNamespace, nowMs, defaults };
    const { alert, isRaised, isCleared } = scanAlert(before, findings[kind], place);
    store.putAlert(facts.scope, storeAlert(alert, nameOf(alert) ?? kind, place));
    if (isRaised) return 'raised';
    return isCleared ? 'cleared' : 'refreshed';
  });
}

function readAlert(store: Pick<AlertStore, 'readAlert'>, scope: string, kind: AlertKind): JsonObject | undefined {
  const text = store.readAlert(scope, kind);
  return text === undefined ? undefined : (JSON.parse(text) as JsonObject);
}
