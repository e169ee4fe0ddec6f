// Schedules the scans: at the start, an interval after the end of the previous scan, and on request. One scan runs at a time.
// Warns of a failure once, not with every scan, and keeps the earlier findings.
import type { Timer } from '../../lib/clock.ts';
import { type CodedError, isCoded, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { scanOnce, type ScanCounts, type ScanDeps } from './scan.ts';

export interface ScannerOptions extends ScanDeps {
  readonly intervalMs: number;
  readonly log: Logger;
  /** Called at the end of every scan that was not stopped: with the report, or undefined on failure. */
  readonly onScanned?: (report: ScanReport | undefined) => void;
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

export function createScanner(options: ScannerOptions): Scanner {
  const { clock, intervalMs, log } = options;
  const stopping = new AbortController();
  /** The last requested scan. */
  let last: Promise<ScanReport | undefined> | undefined;
  /** The last requested scan while it has not begun; further requests share it. */
  let waiting: Promise<ScanReport | undefined> | undefined;
  let timer: Timer | undefined;
  let isStarted = false;
  let lastFailure: string | undefined;

  const logFailure = (error: unknown) => {
    const failure = messageOf(error);
    if (!isCoded(error)) log.error({ err: error }, 'scan failed');
    else if (failure === lastFailure) log.debug(factsOf(error), 'role assignments still not readable');
    else log.warn(factsOf(error), 'role assignments not readable, keeping earlier findings');
    lastFailure = failure;
  };

  const scan = async (): Promise<ScanReport | undefined> => {
    const startedMs = clock.monotonic();
    try {
      const counts = await scanOnce(options, stopping.signal);
      const report = { ...counts, durationMs: Math.round(clock.monotonic() - startedMs) };
      lastFailure = undefined;
      log.info(report, 'role assignments scanned');
      options.onScanned?.(report);
      return report;
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      logFailure(error);
      options.onScanned?.(undefined);
      return undefined;
    }
  };

  const begin = async (earlier: Promise<unknown> | undefined): Promise<ScanReport | undefined> => {
    await earlier;
    waiting = undefined;
    timer?.cancel();
    if (stopping.signal.aborted) return undefined;
    const report = await scan();
    if (isStarted && !stopping.signal.aborted) timer = clock.setTimer(intervalMs, () => void scanNow());
    return report;
  };

  const scanNow = (): Promise<ScanReport | undefined> => {
    if (waiting !== undefined) return waiting;
    last = begin(last);
    waiting = last;
    return last;
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      void scanNow();
    },
    scanNow,
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
