// The base of every error at an I/O edge. Code branches on `code`; people read `message`. Each edge declares its own closed set of codes
// and its own class. Pure code returns `{ value, problems }` instead and never throws. And the outcome of work as a value.

export interface ErrorFacts {
  /** The reason of the condition, or of a Kubernetes `Status`, where it is more specific than the code. */
  readonly reason?: string | undefined;
  /** The delay that the server requested, in milliseconds. Absent when it requested none. */
  readonly retryAfterMs?: number | undefined;
  /** HTTP status of the response. Absent when there was none. */
  readonly status?: number | undefined;
  /** The code in the server's error body, cleaned and capped. Stable, so a condition may contain it. */
  readonly serviceCode?: string | undefined;
  /** Details for the log: the server's message, an address. Cleaned and capped. Never part of a condition, never a secret. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** A failed operation at an I/O edge. `message` is one sentence without text from the server. */
export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly detail: string | undefined;

  constructor(code: Code, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.code = code;
    this.reason = facts.reason;
    this.retryAfterMs = facts.retryAfterMs;
    this.status = facts.status;
    this.serviceCode = facts.serviceCode;
    this.detail = facts.detail;
  }
}

/** True for a `CodedError` with one of the codes; with no codes, for any `CodedError`. Each edge has a test of its own with its codes. */
export function isCoded<Code extends string>(error: unknown, ...codes: readonly Code[]): error is CodedError<Code> {
  return error instanceof CodedError && (codes.length === 0 || codes.includes(error.code));
}

/** A call that its caller cancelled. */
export class StoppedError extends CodedError<'stopped'> {
  constructor(message = 'The request was cancelled.', facts?: ErrorFacts) {
    super('stopped', message, facts);
  }
}

/** Resolves with the `CodedError` that the work fails with, if it does. */
export async function valueOrError<T>(work: () => Promise<T>): Promise<T | CodedError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** The fields of a log line for a thrown value: an expected failure by code and message, a bug with its stack. */
export function errorFields(error: unknown): object {
  if (!isCoded(error)) return { err: error };
  return { code: error.code, error: messageOf(error), detail: error.detail };
}

/** The message of a thrown value, with the message of its cause unless it already contains it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
}

/**
 * Settles as `promise` does, or rejects with a `StoppedError` when `signal` aborts before: ends the wait for what cannot be cancelled, such
 * as a terminal, a pipe that no program writes, or work that other callers wait for as well. The work itself continues: a late value or
 * rejection is ignored.
 */
export function unlessStopped<V>(promise: Promise<V>, signal: AbortSignal, message?: string): Promise<V> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new StoppedError(message));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Runs `work`; never throws. Its failure can travel beside the successes of others. */
export function settle<T>(work: () => T): PromiseSettledResult<T> {
  try {
    return { status: 'fulfilled', value: work() };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

/** Returns the value, or throws the reason. */
export function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
