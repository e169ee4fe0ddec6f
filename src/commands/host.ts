// The interface between a command and its process. main.ts creates the real one; tests create their own.
import { once } from 'node:events';

import type { Environment } from '../lib/options/option.ts';
import type { Output } from '../lib/output.ts';
import type { ProcessFacts } from '../local/machine.ts';

/** Standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Reads to the end, or until there are more than `limitBytes`. */
  read(limitBytes: number): Promise<Uint8Array>;
}

export interface Host {
  readonly env: Environment;
  readonly facts: ProcessFacts;
  /** `process.version`: `v26.10.0`. */
  readonly nodeVersion: string;
  /** The file that Node runs, as it was called: main.ts, the bundle, the executable, or a link to one of them. */
  readonly programFile: string;
  readonly workingDirectory: string;
  readonly input: Input;
  readonly out: Output;
  /** Writes to standard output. Resolves when its reader has taken the bytes, and rejects when it is gone or its disk is full. */
  readonly writeBytes: (bytes: Uint8Array) => Promise<void>;
  readonly err: Output;
  /** Aborts at the first SIGINT or SIGTERM. A second one ends the process at once with exit code 1. */
  readonly stopping: AbortSignal;
}

/** Resolves when the process receives a stop signal. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await once(stopping, 'abort');
}
