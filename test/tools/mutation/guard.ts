// Runs a case so that it always ends, whatever an edit does to the code: with its failure, with an unhandled rejection, or when its time
// is over.

/** Resolves when the case passed. */
export async function runGuarded(run: () => Promise<void>, ms: number): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const fail = (error: unknown) => ended.reject(error instanceof Error ? error : new Error(String(error)));
  const timer = setTimeout(() => fail(new Error(`It took longer than ${ms} ms.`)), ms);
  process.on('unhandledRejection', fail).on('uncaughtException', fail);
  seedRandom();
  try {
    run().then(ended.resolve, fail);
    await ended.promise;
    // What was rejected in the last tick is known in the next one.
    await new Promise((resolve) => setImmediate(resolve));
    await ended.promise;
  } finally {
    clearTimeout(timer);
    process.off('unhandledRejection', fail).off('uncaughtException', fail);
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
