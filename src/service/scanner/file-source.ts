// Reads role assignments from a file, for each scan anew.
import { type Clock, systemClock, within } from '../../lib/clock.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { readDocument } from '../config-files/read.ts';
import { decodeAssignments } from './assignment-file.ts';
import type { AssignmentSource } from './assignments.ts';

/** Time for one reading. A file of a network, or a pipe without a writer, may never be there. */
const readWithinMs = 10_000;

export interface FileSourceDeps {
  readonly clock?: Clock;
  readonly read?: typeof readDocument;
}

/** Members of the roles in `owners` are owners. `read` rejects with `usage` for an invalid, unreadable or late file. */
export function createFileSource(
  file: string,
  owners: readonly string[],
  { clock = systemClock, read = readDocument }: FileSourceDeps = {},
): AssignmentSource {
  /** Settles when no reading is under way. One runs at a time: each that does not end keeps a thread of Node, and there are four. */
  let idle: Promise<unknown> = Promise.resolve();

  const inTime = async <T>(reading: Promise<T>): Promise<T> => {
    const result = await within(clock, readWithinMs, settled(reading));
    if (result !== 'late') return result.value;
    throw new UsageError(`Cannot read the assignments file ${file}: it was not read within ${readWithinMs / 1000} s.`);
  };

  return {
    async read() {
      await inTime(idle);
      const reading = read('assignments', file);
      idle = reading.catch(() => undefined);
      return decodeAssignments(await inTime(reading), file, owners);
    },
  };
}

/** Different from `'late'`, whatever the value. */
async function settled<T>(reading: Promise<T>): Promise<{ readonly value: T }> {
  return { value: await reading };
}
