// The errors that end a command with one sentence for its user.
import { CodedError, type ErrorFacts } from './errors.ts';

/** An option, an environment variable or a file of the user is wrong: exit code 64. */
export class UsageError extends CodedError<'usage'> {
  constructor(message: string, facts?: ErrorFacts) {
    super('usage', message, facts);
  }
}

/** This machine does not provide something: an address is in use, a file is not writable, a program failed. Exit code 1. */
export class LocalError extends CodedError<'local'> {
  constructor(message: string, facts?: ErrorFacts) {
    super('local', message, facts);
  }
}
