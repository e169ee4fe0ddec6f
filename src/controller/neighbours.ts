// Neighbours are connections to one endpoint and scope. This module gives the standing of each and requeues a scope
// when another connection found something that may change its decisions, at most every few seconds, so that no
// connection spends the rate limiter of another.
import type { Clock } from '../lib/clock.ts';
import type { CodedError } from '../lib/errors.ts';
import type { Standing } from '../plan/plan-input.ts';
import { betweenWakesMs } from '../plan/waits.ts';
import type { AnyConnection } from '../policy/resources.ts';
import type { ScopeRef } from '../policy/scope-ref.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { StandingChange } from './standings.ts';

export interface NeighboursDeps {
  readonly policyIndex: PolicyIndex;
  readonly clock: Clock;
  readonly runtimeOf: (connection: string) => ConnectionRuntime | undefined;
  /** The scopes of a connection's policies and of its ledger. */
  readonly scopesOf: (connection: string) => ReadonlySet<string>;
}

export class Neighbours {
  readonly #deps: NeighboursDeps;

  constructor(deps: NeighboursDeps) {
    this.#deps = deps;
  }

  standingOf({ connection, scope }: ScopeRef): Standing {
    return this.#deps.runtimeOf(connection)?.standings.of(scope) ?? 'Unheard';
  }

  /** False while the circuit breaker is open, or after the last reconcile of the scope failed because of the service. */
  canAct({ connection, scope }: ScopeRef): boolean {
    const runtime = this.#deps.runtimeOf(connection);
    return runtime === undefined || (runtime.breaker.state === 'Closed' && !runtime.isFailing(scope));
  }

  /** Handles the end of a list: requeues the scope for connections that wait for it or whose decisions it affects. */
  note(runtime: ConnectionRuntime, connection: AnyConnection, scope: string, error: CodedError | undefined): void {
    const { standings } = runtime;
    this.#follow(runtime, standings.settle());
    const hadDoubt = standings.doubtLeftMs !== undefined;
    this.#follow(runtime, standings.note(connection, scope, error));
    if (hadDoubt || standings.doubtLeftMs === undefined) return;
    const { clock } = this.#deps;
    runtime.setDoubtTimer(clock.setTimer(standings.doubtLeftMs, () => this.#follow(runtime, standings.settle())));
  }

  #follow(runtime: ConnectionRuntime, change: StandingChange): void {
    if (!this.#deps.policyIndex.isAloneAtEndpoint(runtime.key))
      for (const each of change.again) runtime.workQueue.add(each, 'resync');
    for (const each of change.ended) this.wakeOthers({ connection: runtime.key, scope: each });
    for (const each of change.begun) this.#wakeConcerned({ connection: runtime.key, scope: each });
    const refused = change.refused === 'All' ? this.#deps.scopesOf(runtime.key) : change.refused;
    for (const each of refused) this.#wakeWaiting({ connection: runtime.key, scope: each });
  }

  /**
   * Handles a new, changed or deleted policy. Without a proven connection it concerns only those that wait for its
   * claims.
   */
  policyChanged(ref: ScopeRef): void {
    if (this.standingOf(ref) === 'Proven') this.wakeOthers(ref);
    else this.#wakeWaiting(ref);
  }

  /**
   * Handles a connection whose grant, endpoint or credential may have changed. `before`: its endpoint until now;
   * `proven`: the scopes where it was proven.
   */
  connectionChanged(
    connection: string,
    { before, proven, scopes }: { before: string | undefined; proven: readonly string[]; scopes: Iterable<string> },
  ): void {
    const { policyIndex } = this.#deps;
    const now = policyIndex.endpointOf(connection);
    const concernedAt = (scope: string) => [
      ...(before === now ? [] : policyIndex.connectionsConcernedAt(before, scope)),
      ...policyIndex.connectionsConcernedAt(now, scope),
    ];
    for (const scope of proven) this.wakeOthers({ connection, scope }, concernedAt(scope));
    for (const scope of scopes) this.#wakeWaiting({ connection, scope }, concernedAt(scope));
  }

  /** Requeues the scope for all neighbours that have policies or dismissals there. */
  wakeOthers(ref: ScopeRef, others = this.#concerned(ref)): void {
    const { connection, scope } = ref;
    for (const key of others) if (key !== connection) this.#wake({ connection: key, scope });
  }

  /** Requeues the scope for neighbours that wait for claims there. */
  #wakeWaiting(ref: ScopeRef, among = this.#concerned(ref)): void {
    const isWaiting = (key: string) => this.#deps.runtimeOf(key)?.isWaiting(ref.scope) === true;
    this.wakeOthers(ref, among.filter(isWaiting));
  }

  /** Requeues the scope for neighbours that wait for claims there, and for those with dismissals there. */
  #wakeConcerned(ref: ScopeRef): void {
    const hasEntry = (key: string) => this.#deps.runtimeOf(key)?.statusWriter.hasEntry(ref.scope) === true;
    this.#wakeWaiting(ref);
    this.wakeOthers(ref, this.#concerned(ref).filter(hasEntry));
  }

  /** The connections to the same endpoint that have policies or dismissals on the scope; itself included, unless it is the only one. */
  #concerned({ connection, scope }: ScopeRef): readonly string[] {
    const { policyIndex } = this.#deps;
    if (policyIndex.isAloneAtEndpoint(connection)) return [];
    return policyIndex.connectionsConcernedAt(policyIndex.endpointOf(connection), scope);
  }

  #wake(ref: ScopeRef): void {
    const { policyIndex, clock, runtimeOf } = this.#deps;
    const runtime = runtimeOf(ref.connection);
    if (!runtime || (policyIndex.policiesAt(ref).length === 0 && !runtime.statusWriter.hasEntry(ref.scope))) return;
    const nowMs = clock.monotonic();
    const { wokenMs } = runtime.state(ref.scope);
    // If that time is in the future, an earlier reconcile may already have consumed its entry, so add it again.
    const atMs = wokenMs <= nowMs ? Math.max(wokenMs + betweenWakesMs, nowMs) : wokenMs;
    runtime.step(ref.scope, { kind: 'Woken', atMs });
    runtime.workQueue.add(ref.scope, 'resync', atMs - nowMs);
  }
}
