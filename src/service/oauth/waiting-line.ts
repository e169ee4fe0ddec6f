// Work that waits for its turn, by group: groups take turns, and a full line makes room for a group that has less in it than another one.
// So one group can fill an empty line, but cannot keep others out.

export interface LineBounds {
  /** Pieces of one group that wait. */
  readonly waitingOfGroup: number;
  /** Pieces of all groups that wait. */
  readonly waiting: number;
}

export interface WaitingLine {
  /** Resolves with true when it is the turn of the work, with false when it got no place or lost it. */
  wait(group: string): Promise<boolean>;
  /** Gives the next piece its turn; false when none waits. */
  callNext(): boolean;
}

/** Called with true when it is the turn of the work, with false when it lost its place. */
type Turn = (isNow: boolean) => void;

export function createWaitingLine(bounds: LineBounds): WaitingLine {
  /** The groups in the order of their turns, each with its work in the order of arrival. */
  const waiting = new Map<string, Turn[]>();
  let waitingCount = 0;

  /** Takes the newest place of the group with the most. False if that group would then have less than the new one. */
  const makeRoomFor = (own: readonly Turn[]): boolean => {
    const [most] = [...waiting.values()].toSorted((one, other) => other.length - one.length);
    if (!most || most.length <= own.length + 1) return false;
    waitingCount -= 1;
    most.pop()?.(false);
    return true;
  };

  return {
    wait(group) {
      const own = waiting.get(group) ?? [];
      if (own.length >= bounds.waitingOfGroup) return Promise.resolve(false);
      if (waitingCount >= bounds.waiting && !makeRoomFor(own)) return Promise.resolve(false);
      return new Promise((resolve) => {
        own.push(resolve);
        waiting.set(group, own);
        waitingCount += 1;
      });
    },
    callNext() {
      const [next] = waiting;
      if (!next) return false;
      const [group, turns] = next;
      waiting.delete(group);
      const turn = turns.shift();
      if (turns.length > 0) waiting.set(group, turns);
      waitingCount -= 1;
      turn?.(true);
      return true;
    },
  };
}
