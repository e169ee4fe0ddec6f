// The bytes of responses that clients may not have read yet, in the service or in the buffers of the kernel: of one caller and of all.
// A response that would exceed a limit is refused, because clients that do not read could otherwise fill the memory.
import type { Clock } from '../../lib/clock.ts';
import type { HandledRequest, ServiceResponse } from './message.ts';
import { type ChainLink, ResponseChain } from './response-chain.ts';
import { unavailable } from './service-errors.ts';

/**
 * A response up to this size is never refused and not counted: the limit of requests in flight bounds them, to 16 MiB. Errors and
 * updates are smaller.
 */
export const smallResponseBytes = 16_384;

const mebibyte = 1024 * 1024;

export interface UnreadLimits {
  /** Unread bytes of all callers, in MiB. */
  readonly unreadMiB: number;
  /** Unread bytes of one caller, in MiB. */
  readonly callerUnreadMiB: number;
  /**
   * Time that a client has to read a response that the kernel took. Before, the response makes no room for others of its caller, because
   * a client that reads would lose the rest of it.
   */
  readonly readTimeMs: number;
}

/** A response that counts until `release`. */
export interface HeldResponse {
  readonly caller: string;
  readonly bytes: number;
  /** The kernel took all of it: it counts only because its client may not have read it. */
  isTaken: boolean;
  /** See `queueKey`; empty until the kernel took it. */
  queue: string;
  /** Undefined once it counts no longer. */
  link: ChainLink<HeldResponse> | undefined;
}

type Chain = ResponseChain<HeldResponse>;

export class UnreadBytes {
  readonly #limits: UnreadLimits;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #onChange: (bytes: number) => void;
  readonly #byCaller = new Map<string, number>();
  readonly #sending = new ResponseChain<HeldResponse>();
  readonly #taken = new ResponseChain<HeldResponse>();
  #total = 0;
  /** Callers with more than half of what one may have: counted, because it is asked after each large response. */
  #crowdedCallers = 0;

  /** Calls `onChange` with the unread bytes of all callers after each change. */
  constructor(limits: UnreadLimits, clock: Pick<Clock, 'monotonic'>, onChange: (bytes: number) => void) {
    this.#limits = limits;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /**
   * Whether the service may hold one more response. Cuts connections for it whose response the kernel took and whose client has sent
   * nothing since: at the limit of a caller those that had the time to read, at the limit of all also others of a caller that would
   * still have more bytes than this one; without these also those of such a caller whose response the kernel has not taken in that time,
   * because clients that read nothing would otherwise keep all others out. A response that is larger than a limit passes when nothing
   * else counts against that limit: otherwise it never would.
   */
  admits(caller: string, bytes: number): boolean {
    const { unreadMiB, callerUnreadMiB } = this.#limits;
    while (!fits(this.#bytesOf(caller), bytes, callerUnreadMiB)) if (!this.#cutRead(caller)) return false;
    while (!fits(this.#total, bytes, unreadMiB)) if (!this.#makeRoomFor(caller, bytes)) return false;
    return true;
  }

  /** `cut` closes the connection while the response is sent. */
  hold(caller: string, bytes: number, cut: () => void): HeldResponse {
    const held: HeldResponse = { caller, bytes, isTaken: false, queue: '', link: undefined };
    held.link = this.#sending.add({ held, sinceMs: this.#clock.monotonic(), cut });
    this.#change(caller, bytes);
    return held;
  }

  /** The kernel took the response, but the client may not have read it: it counts on until it is released or `cut` is called. */
  markTaken(held: HeldResponse, queue: string, cut: () => void): void {
    if (!held.link) return;
    this.#sending.remove(held.link);
    held.isTaken = true;
    held.queue = queue;
    held.link = this.#taken.add({ held, sinceMs: this.#clock.monotonic(), cut });
  }

  /** Idempotent. */
  release(held: HeldResponse): void {
    const { caller, bytes, isTaken, link } = held;
    if (!link) return;
    (isTaken ? this.#taken : this.#sending).remove(link);
    held.link = undefined;
    this.#change(caller, -bytes);
  }

  /** Whether a caller, or all, have more than half of what they may have. */
  get isCrowded(): boolean {
    return this.#crowdedCallers > 0 || isMuch(this.#total, this.#limits.unreadMiB);
  }

  /** Releases those that the kernel took before `untilMs` on one of the connections. */
  releaseDelivered(queues: ReadonlySet<string>, untilMs: number): void {
    for (const { held, sinceMs } of this.#taken) {
      if (sinceMs >= untilMs) return;
      if (queues.has(held.queue)) this.release(held);
    }
  }

  #bytesOf(caller: string): number {
    return this.#byCaller.get(caller) ?? 0;
  }

  /** Of the callers with a response in the chain, the one with the most bytes. */
  #largestOf(chain: Chain): string | undefined {
    let largest: string | undefined;
    for (const { held } of chain) {
      const { caller } = held;
      if (largest === undefined || this.#bytesOf(caller) > this.#bytesOf(largest)) largest = caller;
    }
    return largest;
  }

  #makeRoomFor(caller: string, bytes: number): boolean {
    return this.#cutTakenFor(caller, bytes) || this.#cutSendingFor(caller, bytes);
  }

  #cutTakenFor(caller: string, bytes: number): boolean {
    const largest = this.#largestOf(this.#taken);
    if (largest === undefined) return false;
    return this.#hasMore(largest, caller, bytes) ? this.#cutOldest(this.#taken, largest) : this.#cutRead(largest);
  }

  #cutSendingFor(caller: string, bytes: number): boolean {
    const largest = this.#largestOf(this.#sending);
    if (largest === undefined || !this.#hasMore(largest, caller, bytes)) return false;
    return this.#cutOldest(this.#sending, largest, this.#readUntilMs);
  }

  /** Whether `caller` would still have fewer bytes with the response. */
  #hasMore(largest: string, caller: string, bytes: number): boolean {
    return this.#bytesOf(largest) > this.#bytesOf(caller) + bytes;
  }

  /** Cuts the oldest one that the kernel took and whose client had the time to read it. False when the caller has none. */
  #cutRead(caller: string): boolean {
    return this.#cutOldest(this.#taken, caller, this.#readUntilMs);
  }

  /** A client had the time to read what it could read since then. */
  get #readUntilMs(): number {
    return this.#clock.monotonic() - this.#limits.readTimeMs;
  }

  /** False when the caller has none in the chain that is as old. */
  #cutOldest(chain: Chain, caller: string, untilMs = Infinity): boolean {
    for (const { held, sinceMs, cut } of chain) {
      if (sinceMs > untilMs) return false;
      if (held.caller !== caller) continue;
      this.release(held);
      cut();
      return true;
    }
    return false;
  }

  #change(caller: string, bytes: number): void {
    const { callerUnreadMiB } = this.#limits;
    const before = this.#bytesOf(caller);
    const after = before + bytes;
    if (after > 0) this.#byCaller.set(caller, after);
    else this.#byCaller.delete(caller);
    this.#crowdedCallers += Number(isMuch(after, callerUnreadMiB)) - Number(isMuch(before, callerUnreadMiB));
    this.#total += bytes;
    this.#onChange(this.#total);
  }
}

function isMuch(bytes: number, limitMiB: number): boolean {
  return bytes > (limitMiB * mebibyte) / 2;
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
  return { ...rest, response: unavailable('ServerBusy', message) };
}
