// When scans happen: at once, then an interval after the end of the last one, and whenever somebody asks. One at a time.
// What failed is told once, not with every scan; what was found before stays.
import type { Timer } from '../../lib/clock.ts';
import { isOperatorError, messageOf, type OperatorError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { scanOnce, type ScanCounts, type ScanParts } from './scan.ts';

export interface ScannerOptions extends ScanParts {
  readonly intervalMs: number;
  readonly log: Logger;
  /** Of every scan, its end: the report, or undefined when it failed. Not of one that was stopped. */
  readonly onScanned?: (report: ScanReport | undefined) => void;
}

export interface ScanReport extends ScanCounts {
  readonly durationMs: number;
}

export interface Scanner {
  /** Begins the first scan and keeps scanning. Repetition is harmless. */
  start(): void;
  /**
   * The report of a scan that reads its source after this call; undefined when the source failed or the scanner was
   * stopped, which the log tells. Never rejects. Works before `start`, too.
   */
  scanNow(): Promise<ScanReport | undefined>;
  /** Why the last scan failed; undefined when it did not. */
  readonly lastFailure: string | undefined;
  /** Ends a running scan after the scope that it is at. Repetition is harmless. */
  stop(): Promise<void>;
}

export function createScanner(options: ScannerOptions): Scanner {
  const { clock, intervalMs, log } = options;
  const stopping = new AbortController();
  /** The scan that ends last of those that were asked for. */
  let last: Promise<ScanReport | undefined> | undefined;
  /** The same as long as it has not begun: whoever asks meanwhile is served by it. */
  let waiting: Promise<ScanReport | undefined> | undefined;
  let timer: Timer | undefined;
  let isStarted = false;
  let lastFailure: string | undefined;

  const tellFailure = (error: unknown) => {
    const failure = messageOf(error);
    if (!isOperatorError(error)) log.error({ err: error }, 'scan failed');
    else if (failure === lastFailure) log.debug(factsOf(error), 'role assignments still cannot be read');
    else log.warn(factsOf(error), 'role assignments cannot be read; what was found before stays');
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
      tellFailure(error);
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

/** Without the stack: what failed is a file of the user or a server elsewhere. */
function factsOf({ code, message, status, detail }: OperatorError): object {
  return { code, reason: message, status, detail };
}
