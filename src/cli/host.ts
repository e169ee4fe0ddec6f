// What a command sees of the process it runs in. main.ts makes the real one; tests make their own.
import { once } from 'node:events';

import { keepProcessAlive } from '../lib/keep-process-alive.ts';
import type { Output } from '../lib/output.ts';
import type { Environment, ProcessFacts } from '../local/machine.ts';

export interface Host {
  readonly env: Environment;
  readonly facts: ProcessFacts;
  readonly workingDirectory: string;
  readonly out: Output;
  readonly err: Output;
  /** Aborts at the first SIGINT or SIGTERM. A second one ends the process at once with exit code 1. */
  readonly stopping: AbortSignal;
}

/** Resolves when the process is asked to stop; keeps it running until then, even while no socket is open. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await keepProcessAlive(() => once(stopping, 'abort'));
}
