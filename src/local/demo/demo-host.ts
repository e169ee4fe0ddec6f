// The demo's view of its process, and what a stop of the demo means for the work under way.
import { StoppedError } from '../../lib/errors.ts';
import type { Output } from '../../lib/output.ts';
import type { Machine, ProcessFacts } from '../machine.ts';
import type { Progress } from '../progress.ts';

/** The demo's view of its process. */
export interface DemoHost {
  readonly facts: ProcessFacts;
  readonly workingDirectory: string;
  readonly out: Output;
  /** Aborts when the user stops the demo. */
  readonly stopping: AbortSignal;
}

/** The same machine, whose downloads and builds abort when the demo is stopped. */
export function stoppable(machine: Machine, stopping: AbortSignal): Machine {
  const either = (signal: AbortSignal | null | undefined) => (signal ? AbortSignal.any([signal, stopping]) : stopping);
  return {
    ...machine,
    stopping,
    fetch: (target, options) => machine.fetch(target, { ...options, signal: either(options?.signal) }),
  };
}

/** Prints nothing once the demo is stopped: the failures of an aborted download or build are of no interest. */
export function quietOnceStopped(progress: Progress, { stopping }: Pick<DemoHost, 'stopping'>): Progress {
  return {
    print: (line) => (stopping.aborted ? undefined : progress.print(line)),
    advance: (...facts) => (stopping.aborted ? undefined : progress.advance(...facts)),
  };
}

/** Throws `StoppedError` once the user has stopped the demo. */
export function refuseIfStopped(host: DemoHost): void {
  if (host.stopping.aborted) throw new StoppedError('The demo was stopped.');
}
