// Reads role assignments from a file, for each scan anew.
import { decodeAssignments } from '../config-files/assignment-file.ts';
import { readDocument } from '../config-files/read.ts';
import type { AssignmentSource } from './assignments.ts';

/** Members of the roles in `owners` are owners. `read` rejects with `usage` for an invalid or unreadable file. */
export function createFileSource(file: string, owners: readonly string[]): AssignmentSource {
  return { read: async () => decodeAssignments(await readDocument('assignments', file), file, owners) };
}
