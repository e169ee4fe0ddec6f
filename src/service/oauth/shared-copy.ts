// A copy in memory of a table to which other processes of the database add rows. Two seconds after a reading, the next request that
// needs the copy reads what was added, and waits for it.
import type { Clock } from '../../lib/clock.ts';

/** Maximum age of the copy, in milliseconds. */
const freshForMs = 2000;

/** Allowance for clocks of other processes that differ, and for their transactions that commit late. */
export const overlapMs = 120_000;

export interface SharedCopy {
  /** Resolves when the copy is fresh; undefined when it is. Always undefined when no other process can change the table. */
  readonly refresh: () => Promise<void> | undefined;
}

export interface SharedCopyDeps {
  /** Adds the rows from that time on to the copy. */
  readonly read: (sinceMs: number) => Promise<void>;
  /** Of the first reading. */
  readonly sinceMs: number;
  /** Takes the failure of a later reading, and the copy serves on as it is. Absent: `refresh` rejects. */
  readonly onFailed?: (error: unknown) => void;
  /** True when other processes may use the database. */
  readonly isShared: boolean;
  readonly clock: Clock;
}

/** Reads the table for the first time; rejects when that fails. */
export async function openSharedCopy({
  read,
  onFailed,
  isShared,
  clock,
  ...deps
}: SharedCopyDeps): Promise<SharedCopy> {
  let { sinceMs } = deps;
  let readAtMs = 0;
  let reading: Promise<void> | undefined;

  const readOn = async () => {
    const [startedMs, nowMs] = [clock.monotonic(), clock.now()];
    await read(sinceMs);
    readAtMs = startedMs;
    sinceMs = nowMs - overlapMs;
  };

  const serveOn = (error: unknown) => {
    if (!onFailed) throw error;
    onFailed(error);
    readAtMs = clock.monotonic();
  };

  await readOn();
  return {
    refresh() {
      if (!isShared || clock.monotonic() - readAtMs < freshForMs) return undefined;
      reading ??= readOn()
        .catch(serveOn)
        .finally(() => (reading = undefined));
      return reading;
    },
  };
}
