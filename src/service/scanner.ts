// What the service gives to the scanner of `src/service/scanner`, and what it asks of it.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { AlertStore } from './alerts/alert-store.ts';
import type { ScanTurns } from './database/scan-turns.ts';
import type { SqlQueries } from './database/sql.ts';

/** Who makes the changes of a scan, in `systemData` and in the audit trail. */
export const scannerName = 'scanner';

export interface ScannerParts {
  readonly store: Pick<AlertStore, 'transaction'>;
  /** The database of the store. */
  readonly sql: SqlQueries;
  readonly scanTurns: ScanTurns;
  readonly providerNamespace: string;
  /** Whether changes of a flag are recorded in the audit trail. */
  readonly isAudited: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called at the end of every scan that was not stopped: with the report, or undefined on failure. */
  readonly onScanned?: (report: ScanReport | undefined) => void;
}

export type CreateScanner = (parts: ScannerParts) => Scanner;

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

export interface ScanReport extends ScanCounts {
  readonly durationMs: number;
}

export interface Scanner {
  /** Starts the periodic scans. Idempotent. */
  start(): void;
  /**
   * The report of a scan that reads its source after this call; undefined when the scan failed (see the log) or the scanner was
   * stopped. Never rejects. Also works before `start`.
   */
  scanNow(): Promise<ScanReport | undefined>;
  /** The failure of the last scan; undefined when it succeeded. */
  readonly lastFailure: string | undefined;
  /** Stops a running scan after its current scope. Idempotent. */
  stop(): Promise<void>;
}
