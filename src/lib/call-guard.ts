// Keeps the limits of a call: its deadline and its abort signal.
import type { CallLimits, CallErrors, Call } from './call.ts';

export interface Guard {
  cancelDeadline(): void;
  end(): void;
}

/** Ends the call at its deadline or when the signal aborts, until `end`. Repetition of `end` is harmless. */
export function guardCall(call: Call, { clock, deadlineMs, signal }: CallLimits, errors: CallErrors): Guard {
  let guarded: Call | undefined = call;
  const timer = clock.setTimer(deadlineMs, () => guarded?.fail(errors.deadline()));
  const abort = () => guarded?.fail(errors.aborted());
  signal?.addEventListener('abort', abort);
  return {
    cancelDeadline: () => timer.cancel(),
    end() {
      // Another listener may still reference the removed one, so it must retain nothing.
      guarded = undefined;
      timer.cancel();
      signal?.removeEventListener('abort', abort);
    },
  };
}
