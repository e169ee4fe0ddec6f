// Status writes whose response was lost. The API server may have stored the status all the same: once an object shows it, its events
// are due, and its corrections are recorded.
import { isSameJson } from '../lib/same-json.ts';
import type { Correction } from '../plan/memory.ts';
import type { StatusInput } from '../plan/status.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName } from '../policy/scope-ref.ts';

export interface StatusWrite {
  readonly input: StatusInput;
  /** The version whose status it replaces. */
  readonly before: RoleAlertPolicy;
  readonly status: RoleAlertPolicyStatus;
}

export class UnansweredWrites {
  /** The last one of each policy, by its key. */
  readonly #writes = new Map<string, StatusWrite>();
  /** Of the writes that were found stored. */
  readonly #recorded = new WeakSet<Correction>();

  add(write: StatusWrite): void {
    this.#writes.set(namespacedName(write.before), write);
  }

  /** A response arrived, or the policy is gone. */
  forget(policyKey: string): void {
    this.#writes.delete(policyKey);
  }

  /** The write that `policy` shows to be stored, once. */
  takeStored(policy: RoleAlertPolicy): StatusWrite | undefined {
    const key = namespacedName(policy);
    const write = this.#writes.get(key);
    if (write?.before.metadata.uid !== policy.metadata.uid || !isSameJson(write.status, policy.status))
      return undefined;
    this.forget(key);
    const { outcome } = write.input;
    if (outcome.kind === 'listed') for (const correction of outcome.corrections) this.#recorded.add(correction);
    return write;
  }

  /** What is left to record. */
  without(input: StatusInput): StatusInput {
    const { outcome } = input;
    if (outcome.kind !== 'listed' || outcome.corrections.length === 0) return input;
    const corrections = outcome.corrections.filter((correction) => !this.#recorded.has(correction));
    return { ...input, outcome: { ...outcome, corrections } };
  }
}
