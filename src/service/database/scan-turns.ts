// Which process scans: with a data file the only one, with PostgreSQL one of several. All of them together make one scan an interval.

/** Whether a scan is wanted in any case, or only if the last one is older than the interval. */
export interface ScanRequest {
  readonly intervalMs: number;
  readonly isForced: boolean;
  /** Identifies the thresholds and the interval: a process with other settings does not count the scans of the previous ones. */
  readonly settings: string;
}

/** `waitMs`: another process scans now or has scanned, so ask again after this time. */
export type ScanTurn<T> = { readonly scanned: T } | { readonly waitMs: number };

export interface ScanTurns {
  /** Runs `scan` if it is this process's turn. `lost` aborts when another process may begin. */
  take<T>(request: ScanRequest, scan: (lost: AbortSignal) => Promise<T>): Promise<ScanTurn<T>>;
}

/** Every turn is this process's. */
export const ownTurns: ScanTurns = {
  take: async (_request, scan) => ({ scanned: await scan(new AbortController().signal) }),
};
