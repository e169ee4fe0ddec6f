// Kills a process group. Its id is that of the process for which it was created.

/** The group keeps its id while a member lives; without members it does nothing. */
export function killGroup(pid: number): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no members left, which is the usual case.
  }
}
