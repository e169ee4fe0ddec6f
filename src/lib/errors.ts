// The error class of the I/O edges. Code branches on `code`; people read `message`.
// Pure code returns `{ value, problems }` instead and never throws.

/** The kind of a failure. A closed set: a new code needs a new row in `src/README.md`. */
export type ErrorCode =
  | 'service-rejected'
  | 'scope-not-found'
  | 'scope-forbidden'
  | 'alert-refused'
  | 'service-denied'
  | 'service-busy'
  | 'service-unreachable'
  | 'service-protocol'
  | 'credential-missing'
  | 'credential-not-allowed'
  | 'token-endpoint-failed'
  | 'tls-failed'
  | 'endpoint-invalid'
  | 'plan-outdated'
  | 'kube-conflict'
  | 'kube-gone'
  | 'kube-not-found'
  | 'kube-denied'
  | 'kube-invalid'
  | 'kube-unreachable'
  | 'stopped'
  | 'usage'
  | 'local';

export interface ErrorFacts {
  /** The reason of the condition, where it is more specific than the code: `ListTooLarge`, `UnsafeNextLink`, `ProtocolError`. */
  readonly reason?: string;
  /** The delay that the server requested, in milliseconds. Absent when it requested none. */
  readonly retryAfterMs?: number;
  /** HTTP status of the response. Absent when there was none. */
  readonly status?: number;
  /** `error.code` of the service's error body (section 2.8), cleaned and capped. Stable, so a condition may contain it. */
  readonly serviceCode?: string;
  /** Details for the log: the service's message, an address. Cleaned and capped. Never part of a condition, never a secret. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/** A failed operation at an I/O edge. `message` is one sentence without text from the server. */
export class CodedError extends Error {
  readonly code: ErrorCode;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'CodedError';
    this.code = code;
    this.reason = facts.reason;
    this.retryAfterMs = facts.retryAfterMs;
    this.status = facts.status;
    this.serviceCode = facts.serviceCode;
    this.detail = facts.detail;
  }
}

/** True for a `CodedError` with one of the codes; with no codes, for any `CodedError`. */
export function isCodedError(error: unknown, ...codes: readonly ErrorCode[]): error is CodedError {
  return error instanceof CodedError && (codes.length === 0 || codes.includes(error.code));
}

/** The message of a thrown value, with the message of its cause unless it already contains it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
}
