// Runs a case so that it always ends, whatever an edit does to the code: with its failure, with an unhandled rejection, when
// nothing is left that could wake it up, or when its time is over.

export interface Limits {
  readonly ms: number;
  readonly isKeptAlive: boolean;
}

export class Hung extends Error {}

/** Resolves when the case passed. Rejects with `Hung` when it would never end by itself. */
export async function runGuarded(run: () => Promise<void>, { ms, isKeptAlive }: Limits): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fail = (error: unknown) => ended.reject(error instanceof Error ? error : new Error(String(error)));
  const onEmpty = () => fail(new Hung('Nothing is left that could wake it up.'));
  const timer = setTimeout(() => fail(new Hung(`It took longer than ${ms} ms.`)), ms);
  process.on('unhandledRejection', fail).on('uncaughtException', fail).on('beforeExit', onEmpty);
  if (!isKeptAlive) {
    timer.unref();
    process.channel?.unref();
  }
  seedRandom();
  try {
    run().then(ended.resolve, fail);
    await ended.promise;
    // What was rejected in the last tick is known in the next one.
    await new Promise((resolve) => setImmediate(resolve));
    await ended.promise;
  } finally {
    process.channel?.ref();
    clearTimeout(timer);
    process.off('unhandledRejection', fail).off('uncaughtException', fail).off('beforeExit', onEmpty);
  }
}

/** The same random numbers each time, so that a verdict is reproducible. */
function seedRandom(): void {
  let state = 1;
  Math.random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
