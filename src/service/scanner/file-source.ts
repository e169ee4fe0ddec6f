// Role assignments from a file, which is read anew for every scan.
import { decodeAssignments } from '../config-files/assignment-file.ts';
import { readDocument } from '../config-files/read.ts';
import type { AssignmentSource } from './assignments.ts';

/** `owners` are the names of the roles that make an owner. Reading rejects with `usage` when the file cannot be used. */
export function createFileSource(file: string, owners: readonly string[]): AssignmentSource {
  return { read: async () => decodeAssignments(await readDocument('assignments', file), file, owners) };
}
