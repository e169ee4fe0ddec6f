// A lock between processes: SQLite's lock on a file. The kernel releases it when its process dies, so no stale locks exist.
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../lib/clock.ts';
import { LocalError } from '../lib/command-errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { poll } from './long-steps.ts';

export interface LockOptions {
  readonly clock: Clock;
  /** Deadline for acquiring the lock, in milliseconds. */
  readonly withinMs: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called once when another process holds the lock. */
  onWaiting(): void;
}

/** SQLite's result code SQLITE_BUSY: another connection holds the lock. */
const sqliteBusy = 5;

/** Runs `work` while this process holds the lock `path`. Leaves the file in place. */
export async function withFileLock<Result>(
  path: string,
  options: LockOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  const database = await openLockFile(path);
  let isWaiting = false;
  try {
    const taken = await poll({ ...options, everyMs: 200 }, () => {
      if (tryLock(database)) return true;
      if (!isWaiting) options.onWaiting();
      isWaiting = true;
      return undefined;
    });
    if (!taken) throw new LocalError(`Timed out waiting for the lock ${path}, which another process holds`);
    return await work();
  } finally {
    database.close();
  }
}

async function openLockFile(path: string): Promise<DatabaseSync> {
  try {
    await makeDirectory(dirname(path), 0o700);
    return new DatabaseSync(path, { timeout: 0 });
  } catch (cause) {
    throw new LocalError(`Cannot write to the folder ${dirname(path)}`, { cause });
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw new LocalError('Cannot lock a file', { cause: error });
  }
}
