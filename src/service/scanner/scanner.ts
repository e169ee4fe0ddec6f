// Schedules the scans: at the start, an interval after the end of the previous scan, and on request. One scan runs at a time, in one of
// the processes that share the database.
// Warns of a failure once, not with every scan, and keeps the earlier findings.
import { sleep, type Timer } from '../../lib/clock.ts';
import { type CodedError, isCoded, messageOf } from '../../lib/errors.ts';
import { DataFileError } from '../database/data-file-error.ts';
import { DatabaseError } from '../database/database-error.ts';
import type { CreateScanner, Scanner, ScannerParts, ScanReport } from '../scanner.ts';
import type { AssignmentSource } from './assignments.ts';
import type { Thresholds } from './kinds.ts';
import { scanOnce } from './scan.ts';

export interface ScannerSettings {
  readonly source: AssignmentSource;
  /** For alerts without thresholds in their configuration. */
  readonly thresholds: Thresholds;
  readonly intervalMs: number;
}

export type ScannerOptions = ScannerSettings & ScannerParts;

/** For the option `scanner` of the service. */
export function scannerWith(settings: ScannerSettings): CreateScanner {
  return (parts) => createScanner({ ...parts, ...settings });
}

export function createScanner(options: ScannerOptions): Scanner {
  const { clock, intervalMs, scanTurns, log } = options;
  const settings = JSON.stringify([intervalMs, options.thresholds]);
  const stopping = new AbortController();
  /** The last requested scan. */
  let last: Promise<ScanReport | undefined> | undefined;
  /** The last requested scan while it has not begun; further requests share it. */
  let waiting: Promise<ScanReport | undefined> | undefined;
  let timer: Timer | undefined;
  let isStarted = false;
  /** A request wants a scan, also if another process has just made one. */
  let isForced = false;
  let lastFailure: string | undefined;

  const logFailure = (error: unknown) => {
    const failure = messageOf(error);
    if (!isCoded(error)) log.error({ err: error }, 'scan failed');
    else if (error instanceof DatabaseError) log.warn(factsOf(error), 'scan ended: the database is not available');
    else if (error instanceof DataFileError) log.warn(factsOf(error), 'scan not stored');
    else if (failure === lastFailure) log.debug(factsOf(error), 'role assignments still not readable');
    else log.warn(factsOf(error), 'role assignments not readable, keeping earlier findings');
    lastFailure = failure;
  };

  const scan = async (lost: AbortSignal): Promise<ScanReport> => {
    const startedMs = clock.monotonic();
    const counts = await scanOnce(options, AbortSignal.any([stopping.signal, lost]));
    return { ...counts, durationMs: Math.round(clock.monotonic() - startedMs) };
  };

  /** The report of a scan, if this process made one, and the time until the next. Waits for its turn if the scan is forced. */
  const takeTurn = async (isForced: boolean): Promise<{ report?: ScanReport; nextMs: number }> => {
    while (!stopping.signal.aborted) {
      const turn = await scanTurns.take({ intervalMs, settings, isForced }, scan);
      if ('scanned' in turn) return { report: turn.scanned, nextMs: intervalMs };
      if (!isForced) return { nextMs: turn.waitMs };
      await sleep(clock, turn.waitMs, stopping.signal);
    }
    return { nextMs: intervalMs };
  };

  const tryScan = async (isForced: boolean): Promise<{ report?: ScanReport; nextMs: number }> => {
    try {
      const turn = await takeTurn(isForced);
      if (turn.report) {
        lastFailure = undefined;
        log.info(turn.report, 'role assignments scanned');
        options.onScanned?.(turn.report);
      }
      return turn;
    } catch (error) {
      if (stopping.signal.aborted) return { nextMs: intervalMs };
      logFailure(error);
      options.onScanned?.(undefined);
      return { nextMs: intervalMs };
    }
  };

  const begin = async (earlier: Promise<unknown> | undefined): Promise<ScanReport | undefined> => {
    await earlier;
    waiting = undefined;
    timer?.cancel();
    if (stopping.signal.aborted) return undefined;
    const wasForced = isForced;
    isForced = false;
    const { report, nextMs } = await tryScan(wasForced);
    if (isStarted && !stopping.signal.aborted) timer = clock.setTimer(nextMs, () => void request());
    return report;
  };

  const request = (): Promise<ScanReport | undefined> => {
    if (waiting !== undefined) return waiting;
    last = begin(last);
    waiting = last;
    return last;
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      void request();
    },
    scanNow() {
      isForced = true;
      return request();
    },
    get lastFailure() {
      return lastFailure;
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await last;
    },
  };
}

/** Omits the stack, because the cause is a file of the user or another server. */
function factsOf({ code, message, status, detail }: CodedError): object {
  return { code, error: message, status, detail };
}
