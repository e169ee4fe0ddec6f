// Statuses that the API server takes and does not keep: an older schema drops members without a word, so the object stays as it is, and
// every reconcile would write the same again.
import { isSameJson } from '../lib/same-json.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { ObjectMeta, RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName } from '../policy/scope-ref.ts';

interface UnkeptStatus {
  readonly version: Pick<ObjectMeta, 'uid' | 'resourceVersion'>;
  readonly status: RoleAlertPolicyStatus;
  readonly sentAtMs: number;
}

/** A status is sent again after this time: a newer schema keeps it, and changes no object. */
const againAfterMs = 3_600_000;

export class UnkeptStatuses {
  /** By policy key. Only policies whose status is not kept have one. */
  readonly #statuses = new Map<string, UnkeptStatus>();

  /** After a write of `status` to the version `before`. `after`: the metadata that the API server answered with. */
  note(before: RoleAlertPolicy, after: ObjectMeta, status: RoleAlertPolicyStatus, nowMs: number): void {
    const key = namespacedName(before);
    if (isSameVersion(before.metadata, after)) this.#statuses.set(key, { version: after, status, sentAtMs: nowMs });
    else this.#statuses.delete(key);
  }

  /** True when a write of `status` to this version had no effect lately. */
  isUnkept(policy: RoleAlertPolicy, status: RoleAlertPolicyStatus, nowMs: number): boolean {
    const sent = this.#statuses.get(namespacedName(policy));
    if (!sent || !isSameVersion(sent.version, policy.metadata)) return false;
    return Math.abs(nowMs - sent.sentAtMs) < againAfterMs && isSameJson(sent.status, status);
  }

  forget(policyKey: string): void {
    this.#statuses.delete(policyKey);
  }
}

function isSameVersion(left: UnkeptStatus['version'], right: UnkeptStatus['version']): boolean {
  return left.uid === right.uid && left.resourceVersion === right.resourceVersion;
}
