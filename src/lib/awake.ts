// Timers of `Clock` never keep the process alive by themselves. Whoever waits for something outside says so here.

/** Runs `work` and keeps the process alive until it settles. */
export async function stayAwake<Result>(work: () => Promise<Result>): Promise<Result> {
  const handle = setInterval(() => undefined, 2 ** 30);
  try {
    return await work();
  } finally {
    clearInterval(handle);
  }
}
