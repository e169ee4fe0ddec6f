// What a person reads about a watch that fails.
import type { ReflectorOptions } from '../../operator/kube/reflector-options.ts';

export type WatchObserver = NonNullable<ReflectorOptions<never>['observer']>;

/** Reports a failure once, until a list or a watch succeeds. */
export function reportFailures(note: (sentence: string) => void): WatchObserver {
  let failure: string | undefined;
  return {
    onServed: () => (failure = undefined),
    onFailure(resource, code) {
      if (code === failure || code === 'kube-gone') return;
      failure = code;
      note(`watching ${resource} failed (${code}); trying again.`);
    },
  };
}
