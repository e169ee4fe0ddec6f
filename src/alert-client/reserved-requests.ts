// Requests that were acquired in advance.

/** Requests that were acquired in advance, so that a PATCH never starts without a request left for its verifying LIST. */
export interface ReservedRequests {
  readonly left: number;
  /** Uses one request; false when none is left. */
  use(): boolean;
  /** Returns the unused requests. Idempotent. */
  release(): void;
}

/** `giveBack` receives the number of unused requests, at most once. */
export function createReservation(requests: number, giveBack: (unused: number) => void): ReservedRequests {
  let left = requests;
  return {
    get left() {
      return left;
    },
    use() {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
    release() {
      if (left > 0) giveBack(left);
      left = 0;
    },
  };
}
