// Timers of `Clock` do not keep the process alive. main.ts wraps every command; code of other programs that waits for an external event
// wraps its wait in `keepProcessAlive`.

/** Runs `work` and keeps the process alive until it settles. */
export async function keepProcessAlive<Result>(work: () => Promise<Result>): Promise<Result> {
  const handle = setInterval(() => undefined, 2 ** 30);
  try {
    return await work();
  } finally {
    clearInterval(handle);
  }
}
