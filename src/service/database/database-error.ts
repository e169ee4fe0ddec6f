// Failures of the database that are no bug. The service responds to a request that meets one with 503.
import { CodedError } from '../../lib/errors.ts';

/**
 * `database-away`: no connection, or it was lost. Whether a commit that was under way took effect is unknown.
 * `database-busy`: a statement took too long, waited too long for a lock, or found no resources.
 */
export type DatabaseCode = 'database-away' | 'database-busy';

/** The cause, for the log. */
export interface DatabaseFailure {
  /** SQLSTATE; undefined when the failure did not come from the server. */
  readonly state: string | undefined;
  readonly report: string;
}

export class DatabaseError extends CodedError<DatabaseCode> {
  readonly state: string | undefined;

  constructor(code: DatabaseCode, message: string, failure?: DatabaseFailure) {
    super(code, message, failure && { detail: [failure.state, failure.report].filter(Boolean).join(' ') });
    this.state = failure?.state;
  }
}
