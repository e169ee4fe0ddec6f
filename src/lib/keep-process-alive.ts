// Timers of `Clock` never keep the process alive by themselves. Whoever waits for something outside says so here.

/** Runs `work` and keeps the process alive until it settles. */
export async function keepProcessAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  const handle = setInterval(() => undefined, 2 ** 30);
  try {
    return await work();
  } finally {
    clearInterval(handle);
  }
}
