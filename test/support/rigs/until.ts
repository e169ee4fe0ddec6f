// Polls real state until a condition holds, and fails with a message at the deadline.

/** Long enough for a slow machine; only a hang reaches it. */
const deadlineMs = 300_000;

/** Resolves as soon as `condition` holds; fails after five minutes. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`it never came true within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}
