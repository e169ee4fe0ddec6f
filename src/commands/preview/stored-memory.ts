// What an operator that starts now remembers of the deactivations through a connection: what the status of the connection holds, and
// what the preview planned since.
import { systemClock } from '../../lib/clock.ts';
import { type DeactivationFacts, Deactivations } from '../../operator/dismissals/deactivations.ts';
import { Ledger } from '../../operator/dismissals/ledger.ts';
import { declarationOf } from '../../operator/dismissals/register.ts';
import type { PlanMemory } from '../../operator/scope/gather.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';

export class StoredMemory implements PlanMemory {
  readonly #connection: AnyConnection;
  readonly ledger: Ledger;
  readonly #deactivations: Deactivations;

  /** `windowMsAt`: the longest damping window of the policies at a scope. */
  constructor(connection: AnyConnection, nowMs: number, windowMsAt: (scope: string) => number) {
    const clock = { ...systemClock, now: () => nowMs, monotonic: () => 0 };
    this.#connection = connection;
    this.ledger = new Ledger(clock);
    this.ledger.load(connection.status?.dismissals ?? []);
    this.#deactivations = new Deactivations(clock, windowMsAt);
    this.#deactivations.load(connection.status?.recentDeactivations ?? []);
  }

  deactivationsFor(scope: string): DeactivationFacts {
    return this.#deactivations.factsFor(this.#connection, scope);
  }

  /** As the operator records it before it sends the deactivation. */
  record(policy: RoleAlertPolicy, scope: string, alert: string): void {
    this.ledger.recordDismissal({ scope, alert, ...declarationOf(policy, namespacedName(policy), alert) });
    this.#deactivations.add({ namespace: policy.metadata.namespace, scope, alert });
  }
}
