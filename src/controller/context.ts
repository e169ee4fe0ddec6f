// The context of one reconcile: its dependencies, its connection and its work item.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { SelectEntries } from '../policy/access.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { ScopeRef } from '../policy/scope-ref.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { ClusterPort, EventPort, Observer, PlanRecorder } from './ports.ts';
import type { ShardMembership } from './shard.ts';
import type { UnansweredWrites } from './unanswered-writes.ts';
import type { WorkItem } from './work-queue.ts';

export interface ReconcileDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: ClusterPort;
  readonly shard: ShardMembership;
  readonly events: EventPort;
  readonly observer: Observer;
  /** Absent: plans are not recorded. */
  readonly recorder?: PlanRecorder | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  readonly defaultIntervalMs: number;
  /** Remembers what it selected. */
  readonly selectEntries: SelectEntries;
  /** The statuses that `policy-status-writer.ts` is writing, by policy key. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
  /** Status writes whose response was lost. */
  readonly unanswered: UnansweredWrites;
  /** Throws unless this process may write to the service now. */
  readonly checkMayWrite: () => void;
}

/** A running reconcile. */
export interface ReconcileContext extends WorkItem {
  readonly deps: ReconcileDeps;
  readonly runtime: ConnectionRuntime;
  readonly ref: ScopeRef;
}
