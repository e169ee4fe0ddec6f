// Follows what a file, or several, holds while the service runs: reread periodically, a valid change takes effect, and an invalid one is
// logged once while the previous content stays in force.
import { type Clock, repeatEvery, sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';

/** Time between two checks. It may be long: certificates are renewed well before they expire. */
const checkEveryMs = 30_000;

/**
 * Time after which a change must still be the same to take effect: the beginning of a file that is being written may be valid, and allow
 * more than the whole file.
 */
const settledAfterMs = 5000;

export interface Followed<Content> {
  /** Throws if the content is not valid. */
  readonly read: () => Promise<Content>;
  /** The content in force. */
  readonly current: Content;
  readonly isSame: (one: Content, other: Content) => boolean;
  /** Puts new content in force. May throw, and then the previous one stays. */
  readonly onNew: (content: Content) => void;
  /** The message of the log line about content that is not valid. */
  readonly problemMessage: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the caller says of a file whose content has a reader of its own. */
export type FollowDeps<Content> = Pick<Followed<Content>, 'current' | 'onNew' | 'clock' | 'log'>;

/** Readings of a change that differ from each other before a check gives up with a log line. */
const readingsOfChange = 6;

/** Follows until the returned function is called. */
export function followFile<Content>(followed: Followed<Content>): () => void {
  const { read, isSame, onNew, problemMessage, clock, log } = followed;
  let { current } = followed;
  const stopping = new AbortController();
  let lastProblem: string | undefined;

  /** The content in force, or a change that two readings in a row agree on. Throws when none do. */
  const readSettled = async (): Promise<Content> => {
    let found = await read();
    for (let readings = 1; readings <= readingsOfChange; readings++) {
      if (isSame(found, current)) return current;
      await sleep(clock, settledAfterMs, stopping.signal);
      if (stopping.signal.aborted) return current;
      const again = await read();
      if (isSame(found, again)) return found;
      found = again;
    }
    throw new Error('the content keeps changing');
  };

  const stop = repeatEvery(checkEveryMs, clock, async () => {
    try {
      const found = await readSettled();
      if (!stopping.signal.aborted && !isSame(found, current)) {
        onNew(found);
        current = found;
      }
      lastProblem = undefined;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== lastProblem) log.warn({ error: problem }, problemMessage);
      lastProblem = problem;
    }
  });
  return () => {
    stopping.abort();
    stop();
  };
}
