// The bytes of responses that the service holds because their clients have not read them: of one caller and of all. A response that
// would exceed a limit is refused, because clients that do not read could otherwise fill the memory.
import type { HandledRequest, ServiceResponse } from './message.ts';
import { errorResponse } from './service-errors.ts';

/**
 * A response up to this size is never refused and not counted: the limit of requests in flight bounds them, to 16 MiB. Errors and
 * updates are smaller.
 */
export const smallResponseBytes = 16_384;

/** Retry-After of a refused response, in seconds. */
const retryAfterSeconds = '1';

const mebibyte = 1024 * 1024;

export interface UnreadLimits {
  /** Unread bytes of all callers, in MiB. */
  readonly unreadMiB: number;
  /** Unread bytes of one caller, in MiB. */
  readonly callerUnreadMiB: number;
}

export class UnreadBytes {
  readonly #limits: UnreadLimits;
  readonly #onChange: (bytes: number) => void;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  /** Calls `onChange` with the unread bytes of all callers after each change. */
  constructor(limits: UnreadLimits, onChange: (bytes: number) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /** A response that is larger than a limit passes when nothing else counts against that limit: otherwise it never would. */
  admits(caller: string, bytes: number): boolean {
    const { unreadMiB, callerUnreadMiB } = this.#limits;
    return fits(this.#total, bytes, unreadMiB) && fits(this.#byCaller.get(caller) ?? 0, bytes, callerUnreadMiB);
  }

  add(caller: string, bytes: number): void {
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + bytes);
    this.#change(bytes);
  }

  remove(caller: string, bytes: number): void {
    const left = (this.#byCaller.get(caller) ?? 0) - bytes;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
    this.#change(-bytes);
  }

  #change(bytes: number): void {
    this.#total += bytes;
    this.#onChange(this.#total);
  }
}

function fits(unread: number, bytes: number, limitMiB: number): boolean {
  return unread === 0 || unread + bytes <= limitMiB * mebibyte;
}

/** Length of the body in bytes, or in characters where it has few others than ASCII. */
export function bodyLengthOf({ body }: ServiceResponse): number {
  return body?.length ?? 0;
}

/** In place of a response that is refused: the operation ran, but a list has no effect. */
export function tooManyUnread(handled: HandledRequest): HandledRequest {
  const message = 'Too many bytes of earlier responses are unread.';
  const { delivery: _, ...rest } = handled;
  return { ...rest, response: errorResponse('ServerBusy', message, { 'retry-after': retryAfterSeconds }) };
}
