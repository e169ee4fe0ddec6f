// The outcome of work as a value, so that a failure can travel beside the successes of others.

/** Runs `work`; never throws. */
export function settle<T>(work: () => T): PromiseSettledResult<T> {
  try {
    return { status: 'fulfilled', value: work() };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}

/** Returns the value, or throws the reason. */
export function valueOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
