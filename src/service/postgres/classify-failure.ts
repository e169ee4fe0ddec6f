// Failures of PostgreSQL by their consequence: the server is away, or it is there and cannot do this now. Every other error of a
// statement is a bug.
import { messageOf } from '../../lib/errors.ts';
import { stringOf } from '../../lib/json-shape.ts';
import { DatabaseError, type DatabaseFailure } from '../database/database-error.ts';

/** SQLSTATEs of connections that failed: lost, refused (a password, a database), and a server that stops, starts or is full. */
const awayStates = /^(?:08...|28...|3D000|57P0[1-5]|53300)$/;

/** Of these, a connection that the server refuses: the password, the user or the database is wrong, or it has too many connections. */
const refusedStates = /^(?:28...|3D000|53300)$/;

/** Serialization failure and deadlock: the transaction has no effect, and running it again is correct. */
const repeatableStates = /^40(?:001|P01)$/;

/** A statement or lock timeout, resources (a full disk as well), a server that only reads, and what may be run again. */
const busyStates = /^(?:57014|55P03|25P03|53[12]..|53400|25006|40...)$/;

/** The error of a statement or of a connection as a `DatabaseError`; a bug unchanged. */
export function classifyFailure(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof TypeError) return error;
  const failure = { state: sqlStateOf(error), report: reportOf(error) };
  if (failure.state === undefined || awayStates.test(failure.state)) return away(failure);
  if (!busyStates.test(failure.state)) return error;
  return new DatabaseError('database-busy', 'The database cannot do this now.', failure);
}

export function away(failure?: DatabaseFailure): DatabaseError {
  return new DatabaseError('database-away', 'The database is not reachable.', failure);
}

/** True when the server is there and refuses the connection. */
export function isRefusal({ state = '' }: DatabaseError): boolean {
  return refusedStates.test(state);
}

/** True when the server writes nothing, as after another one took over. */
export function isReadOnly({ state }: DatabaseError): boolean {
  return state === '25006';
}

/** True for a connection that the server ended because it was idle: its setting, and no outage. */
export function endedIdle(error: unknown): boolean {
  return sqlStateOf(error) === '57P05';
}

/** True for a transaction without effect that may be run again. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof DatabaseError && repeatableStates.test(error.state ?? '');
}

/** What the server or the system reported. The error of a host with several addresses has a code and no message. */
export function reportOf(error: unknown): string {
  if (error instanceof DatabaseError) return error.detail ?? error.message;
  if (error instanceof Error && error.message === '' && 'code' in error) return String(error.code);
  return messageOf(error);
}

/** The five characters of SQLSTATE; undefined for an error that did not come from the server. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return stringOf(error.code);
}
