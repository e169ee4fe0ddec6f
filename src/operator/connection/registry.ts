// The runtimes of all connections. A runtime is created when a policy or a connection first needs it, and ends when
// neither is left.
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import { longestDampingWindowMs } from '../dismissals/deactivations.ts';
import type { ControllerDeps } from '../ports.ts';
import { isDeniedScope, type PolicyIndex } from '../queue/policy-index.ts';
import { type WorkItem, WorkQueue } from '../queue/work-queue.ts';
import { Demand, type ScopeLoad, scopeLoad } from '../report/capacity.ts';
import type { ConnectionCounts } from '../report/connection-status.ts';
import { ConnectionRuntime } from './runtime.ts';
import { ConnectionStatusWriter } from './status-writer.ts';

export interface ConnectionRegistryDeps extends ControllerDeps {
  readonly policyIndex: PolicyIndex;
  readonly work: (runtime: ConnectionRuntime, scope: string, item: WorkItem) => Promise<number | undefined>;
}

/** Workers for a connection that does not exist; they only write the statuses of its policies. */
const defaultWorkers = 4;

export class ConnectionRegistry {
  readonly #deps: ConnectionRegistryDeps;
  readonly #runtimes = new Map<string, ConnectionRuntime>();

  constructor(deps: ConnectionRegistryDeps) {
    this.#deps = deps;
  }

  all(): Iterable<ConnectionRuntime> {
    return this.#runtimes.values();
  }

  get(key: string): ConnectionRuntime | undefined {
    return this.#runtimes.get(key);
  }

  ensure(key: string): ConnectionRuntime {
    let runtime = this.#runtimes.get(key);
    if (!runtime) {
      runtime = this.#create(key);
      this.#runtimes.set(key, runtime);
    }
    return runtime;
  }

  /** Handles a new connection or a changed spec, which resets its state. */
  applySpec(connection: AnyConnection, key: string): ConnectionRuntime {
    const runtime = this.ensure(key);
    if (runtime.statusWriter.loadLedger(connection)) runtime.forgetAll();
    runtime.workQueue.setWorkers(connection.spec.limits.maxConcurrent);
    runtime.applySpec(connection);
    return runtime;
  }

  /** Ends the runtime of a deleted connection, so that a new one of the same name starts afresh. */
  async end(key: string): Promise<void> {
    const runtime = this.#runtimes.get(key);
    if (!runtime) return;
    this.#runtimes.delete(key);
    this.#deps.observer.connectionForgotten(key);
    await runtime.stop(0);
    const { uid } = runtime;
    // A connection that leaves the shard and comes back has a new runtime, perhaps before the end of the old one. They share one rate limiter.
    if (uid !== undefined && this.#runtimes.get(key)?.uid !== uid) this.#deps.clientFactory.forget(uid);
  }

  /** Every scope of the connection's policies and of its ledger. */
  scopesOf(key: string): Set<string> {
    const ledger = this.#runtimes.get(key)?.statusWriter.ledger.scopes() ?? new Set<string>();
    return ledger.union(new Set(this.#deps.policyIndex.scopesOf(key)));
  }

  /** Takes no new work, and finishes running work within `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.stop(graceMs)));
  }

  #create(key: string): ConnectionRuntime {
    const { clock, work } = this.#deps;
    const demand = new Demand(
      () => this.#deps.policyIndex.scopesOf(key),
      (scope) => this.#loadOf(key, scope),
    );
    const workQueue = new WorkQueue({
      clock,
      workers: defaultWorkers,
      work: (scope, item) => work(runtime, scope, item),
    });
    const statusWriter = new ConnectionStatusWriter({
      ...this.#deps,
      key,
      counts: () => this.#counts(runtime),
      health: () => runtime.connection,
      triedGeneration: () => runtime.triedGeneration,
      dampingWindowMsAt: (scope) => longestDampingWindowMs(this.#policiesAt({ connection: key, scope })),
    });
    const runtime: ConnectionRuntime = new ConnectionRuntime({ ...this.#deps, key, workQueue, statusWriter, demand });
    return runtime;
  }

  #counts(runtime: ConnectionRuntime): ConnectionCounts {
    const { policyIndex } = this.#deps;
    const { key, demand, turns } = runtime;
    return {
      policies: policyIndex.policyCount(key),
      scopes: policyIndex.scopeCount(key),
      namespaces: policyIndex.namespaceCount(key),
      loads: demand.loads(),
      largestNamespace: () => demand.largestNamespace(),
      isFirstRound: turns.rounds === 0,
      scopeFailure: () => runtime.scopeFailure,
    };
  }

  #loadOf(key: string, scope: string): ScopeLoad | undefined {
    const { cluster, defaultIntervalMs } = this.#deps;
    const connection = cluster.connections.get(key);
    // A policy that may not list its scope needs no request.
    if (!connection || isDeniedScope(scope)) return undefined;
    const pages = this.#runtimes.get(key)?.pagesOf(scope) ?? 1;
    return scopeLoad(this.#policiesAt({ connection: key, scope }), connection, { defaultMs: defaultIntervalMs, pages });
  }

  #policiesAt(ref: ScopeRef): readonly RoleAlertPolicy[] {
    const { policyIndex, cluster } = this.#deps;
    return policyIndex.policiesAt(ref).flatMap((key) => cluster.policies.get(key) ?? []);
  }
}
