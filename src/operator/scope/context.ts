// The context of one reconcile: what the controller and the reconcile depend on, its connection and its work item.
import type { SelectEntries } from '../../policy/access.ts';
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import type { ConnectionRuntime } from '../connection/runtime.ts';
import type { ControllerDeps } from '../ports.ts';
import type { PolicyIndex } from '../queue/policy-index.ts';
import type { ShardMembership } from '../queue/shard.ts';
import type { WorkItem } from '../queue/work-queue.ts';

export interface ReconcileDeps extends ControllerDeps {
  readonly policyIndex: PolicyIndex;
  readonly shard: ShardMembership;
  /** Remembers what it selected. */
  readonly selectEntries: SelectEntries;
  /** The statuses that are being written, by policy key: the watch may deliver one before the response arrives. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
}

/** A running reconcile. */
export interface ReconcileContext extends WorkItem {
  readonly deps: ReconcileDeps;
  readonly runtime: ConnectionRuntime;
  readonly ref: ScopeRef;
}
