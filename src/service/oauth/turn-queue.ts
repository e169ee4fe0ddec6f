// Runs slow work a few pieces at a time and shares the queue out by group: groups take turns, and a full queue makes room for a
// group that has less in it than another one. So one group can fill an idle queue, but cannot keep others out.

export interface TurnQueueBounds {
  /** Pieces of work that run concurrently. */
  readonly running: number;
  /** Pieces of one group that wait. */
  readonly waitingOfGroup: number;
  /** Pieces of all groups that wait. */
  readonly waiting: number;
}

export interface TurnQueue {
  /** Settles as `work` does; undefined when the queue is full for the group, and `work` does not run. */
  run<T>(group: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Called with true when it is the turn of the work, with false when it lost its place. */
type Turn = (isNow: boolean) => void;

export function createTurnQueue(bounds: TurnQueueBounds): TurnQueue {
  /** The groups in the order of their turns, each with its work in the order of arrival. */
  const waiting = new Map<string, Turn[]>();
  let waitingCount = 0;
  let running = 0;

  const takeNext = (): Turn | undefined => {
    const [next] = waiting;
    if (!next) return undefined;
    const [group, turns] = next;
    waiting.delete(group);
    const turn = turns.shift();
    if (turns.length > 0) waiting.set(group, turns);
    waitingCount -= 1;
    return turn;
  };

  /** Takes the newest place of the group with the most. False if that group would then have less than the new one. */
  const makeRoomFor = (own: readonly Turn[]): boolean => {
    const [most] = [...waiting.values()].toSorted((one, other) => other.length - one.length);
    if (!most || most.length <= own.length + 1) return false;
    waitingCount -= 1;
    most.pop()?.(false);
    return true;
  };

  const waitForTurn = (group: string): Promise<boolean> => {
    const own = waiting.get(group) ?? [];
    if (own.length >= bounds.waitingOfGroup) return Promise.resolve(false);
    if (waitingCount >= bounds.waiting && !makeRoomFor(own)) return Promise.resolve(false);
    return new Promise((resolve) => {
      own.push(resolve);
      waiting.set(group, own);
      waitingCount += 1;
    });
  };

  return {
    async run(group, work) {
      if (running < bounds.running) running += 1;
      else if (!(await waitForTurn(group))) return undefined;
      try {
        return await work();
      } finally {
        const next = takeNext();
        // The next work takes over the permit.
        if (next) next(true);
        else running -= 1;
      }
    },
  };
}
