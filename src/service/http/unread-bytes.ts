// The bytes of responses that clients may not have read yet, in the service or in the buffers of the kernel: of one caller and of all.
// A response that would exceed a limit is refused, because clients that do not read could otherwise fill the memory.
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

/** A response that counts until `release`. */
export interface HeldResponse {
  readonly caller: string;
  readonly bytes: number;
}

export class UnreadBytes {
  readonly #limits: UnreadLimits;
  readonly #onChange: (bytes: number) => void;
  readonly #byCaller = new Map<string, number>();
  /** Responses that the kernel took, in that order, each with the function that cuts its connection. */
  readonly #taken = new Map<HeldResponse, () => void>();
  #total = 0;

  /** Calls `onChange` with the unread bytes of all callers after each change. */
  constructor(limits: UnreadLimits, onChange: (bytes: number) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /**
   * Whether the service may hold one more response. Cuts connections for it whose response the kernel took and whose client has sent
   * nothing since. A response that is larger than a limit passes when nothing else counts against that limit: otherwise it never
   * would.
   */
  admits(caller: string, bytes: number): boolean {
    const { unreadMiB, callerUnreadMiB } = this.#limits;
    while (!fits(this.#bytesOf(caller), bytes, callerUnreadMiB)) if (!this.#cutOldest(caller)) return false;
    while (!fits(this.#total, bytes, unreadMiB)) if (!this.#cutOldest(this.#largestTaken())) return false;
    return true;
  }

  hold(caller: string, bytes: number): HeldResponse {
    const held = { caller, bytes };
    this.#byCaller.set(caller, this.#bytesOf(caller) + bytes);
    this.#change(bytes);
    return held;
  }

  /** The kernel took the response, but the client may not have read it: it counts on until it is released or `cut` is called. */
  markTaken(held: HeldResponse, cut: () => void): void {
    this.#taken.set(held, cut);
  }

  release(held: HeldResponse): void {
    const { caller, bytes } = held;
    this.#taken.delete(held);
    const left = this.#bytesOf(caller) - bytes;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
    this.#change(-bytes);
  }

  #bytesOf(caller: string): number {
    return this.#byCaller.get(caller) ?? 0;
  }

  /** Of the callers with a response that the kernel took, the one with the most bytes. */
  #largestTaken(): string | undefined {
    let largest: string | undefined;
    for (const { caller } of this.#taken.keys()) {
      if (largest === undefined || this.#bytesOf(caller) > this.#bytesOf(largest)) largest = caller;
    }
    return largest;
  }

  /** False when the caller has none. */
  #cutOldest(caller: string | undefined): boolean {
    for (const [held, cut] of this.#taken) {
      if (held.caller !== caller) continue;
      this.release(held);
      cut();
      return true;
    }
    return false;
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
