// Measures the CPU time of a test file with the processes that it started and that have ended, for tier-times.ts. Vitest runs this
// before each file.
import { readFileSync } from 'node:fs';

import { afterAll } from 'vitest';

declare module 'vitest' {
  // Merging with vitest's own interface is the documented way to type `meta`.
  export interface TaskMeta {
    cpuSeconds?: number;
  }
}

/** The user and system time of this process. Where /proc has them, those of its children as well, once they have been waited for. */
function cpuSeconds(): number {
  try {
    // The second field is the name of the program, which may have spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return ticks / ticksPerSecond;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

/** The unit of /proc on every architecture that Node supports. */
const ticksPerSecond = 100;

const before = cpuSeconds();

// Vitest gives the second argument only to a function that destructures the first.
// oxlint-disable-next-line no-empty-pattern
afterAll(({}, file) => {
  file.meta.cpuSeconds = cpuSeconds() - before;
});
