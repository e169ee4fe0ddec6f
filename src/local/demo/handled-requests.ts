// Reports reconcile requests that the operator handled. They have no event: the status of the policy shows them.
import { cleanText } from '../../lib/clean-text.ts';
import { samples } from './samples.ts';
import type { DemoWatch } from './watch.ts';

/** Returns a function that prints a line for each request that a status shows as handled since the last call. */
export function followRequests(watch: Pick<DemoWatch, 'policy'>, print: (line: string) => void): () => void {
  const handled = new Map<string, string>();
  return () => {
    for (const { name } of samples) {
      const value = watch.policy(name)?.status?.lastHandledReconcileAt;
      if (value === undefined || handled.get(name) === value) continue;
      handled.set(name, value);
      print(`Status of "${name}": the operator handled the reconcile request ${cleanText(value, 40)}.`);
    }
  };
}
