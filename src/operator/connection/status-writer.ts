// The only writer of the status of one connection: its health, its counts, and the ledger of dismissals. It coalesces writes: the next write
// waits for the current one and includes everything requested meanwhile. While the process runs, the ledger in memory counts, so that a wiped
// status loses nothing; after a start, the ledger is loaded from the status.
import { type Timer, within } from '../../lib/clock.ts';
import { doublingMs } from '../../lib/duration.ts';
import { errorFields } from '../../lib/errors.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import { endpointKey } from '../../policy/endpoint-key.ts';
import type { DismissalRecord, RoleAlertConnectionStatus } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { ControllerError } from '../controller-error.ts';
import { outdated } from '../controller-error.ts';
import { isLogged } from '../decide/failures.ts';
import { type DeactivationFacts, Deactivations, type SentDeactivation } from '../dismissals/deactivations.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import { Ledger } from '../dismissals/ledger.ts';
import { connectionFields, recordTransition } from '../logging.ts';
import { type ControllerDeps, isClusterError } from '../ports.ts';
import { capacityEvent } from '../report/capacity.ts';
import { type ConnectionCounts, type ConnectionFacts, nextConnectionStatus } from '../report/connection-status.ts';
import { Abandonment, holdConnection } from './finalizer.ts';

export interface ConnectionStatusWriterDeps extends Pick<
  ControllerDeps,
  'cluster' | 'clock' | 'log' | 'observer' | 'events'
> {
  readonly key: string;
  /** The current counts of the connection. */
  readonly counts: () => ConnectionCounts;
  readonly health: () => Pick<ConnectionFacts, 'health' | 'networkCause'>;
  /** The generation of the spec that gave the health; undefined until an attempt has ended. */
  readonly triedGeneration: () => number | undefined;
  /** The longest damping window of the policies at a scope; milliseconds. */
  readonly dampingWindowMsAt: (scope: string) => number;
}

const conflictTries = 5;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;
const refreshSoonMs = 10_000;

export class ConnectionStatusWriter {
  readonly #deps: ConnectionStatusWriterDeps;
  /** Only the writer changes it, but for `patchAccepted`. */
  readonly ledger: Ledger;
  readonly #deactivations: Deactivations;
  readonly abandonment: Abandonment;
  readonly #stopping = new AbortController();
  #uid: string | undefined;
  #endpoint: string | undefined;
  /** The status that is being written, which the watch may deliver before the response arrives. */
  #writing: RoleAlertConnectionStatus | undefined;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failures = 0;
  #hasBegun = false;
  /** The CRD is older than the operator: the API server dropped the deactivations that were written last. */
  #isOutdated = false;
  #soon: { readonly atMs: number; readonly timer: Timer } | undefined;

  constructor(deps: ConnectionStatusWriterDeps) {
    this.#deps = deps;
    this.ledger = new Ledger(deps.clock);
    this.#deactivations = new Deactivations(deps.clock, deps.dampingWindowMsAt);
    this.abandonment = new Abandonment(deps, this.ledger, () => this.refresh());
  }

  /**
   * Loads the ledger from the status of an object with a new uid. Returns true when the connection now reaches another service
   * than before, where nothing is known of earlier writes.
   */
  loadLedger(connection: AnyConnection): boolean {
    const endpoint = endpointKey(connection);
    const isMoved = this.#endpoint !== undefined && this.#endpoint !== endpoint;
    this.#endpoint = endpoint;
    const isSameObject = connection.metadata.uid === this.#uid;
    if (isSameObject && !isMoved) return false;
    if (isSameObject) this.#dropEntries();
    else this.#load(connection);
    return isMoved;
  }

  #load({ metadata, status }: AnyConnection): void {
    this.#uid = metadata.uid;
    this.#deactivations.load(status?.recentDeactivations ?? []);
    this.ledger.load(status?.dismissals ?? []);
  }

  /** What the operator itself makes of the object at present. */
  get own(): { readonly writing: RoleAlertConnectionStatus | undefined; readonly isHeld: boolean } {
    return { writing: this.#writing, isHeld: this.ledger.size > 0 };
  }

  /**
   * Takes over the entries and deactivations that another operator recorded, and returns the scopes of the entries: if one of the two
   * forgot an entry of the other, its alert would stay inactive.
   */
  adopt({ status }: AnyConnection): ReadonlySet<string> {
    this.#deactivations.adopt(status?.recentDeactivations ?? []);
    const unknown = (status?.dismissals ?? []).filter((record) => !this.ledger.has(record));
    for (const record of unknown) this.ledger.takeOver(record);
    return new Set(unknown.map(({ scope }) => scope));
  }

  /** What the deactivations so far allow at the scope. `except`: one that is not counted. */
  deactivationsFor(scope: string, except?: SentDeactivation): DeactivationFacts {
    return this.#deactivations.factsFor(this.#deps.cluster.connections.get(this.#deps.key), scope, except);
  }

  /**
   * Records a deactivation in the ledger with the current time as `since`, and counts it. `namespace`: of its policy. Resolves
   * once the API server has both; only then may the PATCH be sent. Rejects when other scopes have reached the hourly
   * limit meanwhile. The returned function takes back exactly this entry and this count. Call it when the PATCH
   * certainly had no effect, so that the ledger rule does not activate the alert because of it.
   */
  async recordDismissal(
    entry: Omit<DismissalRecord, 'since'>,
    namespace: string,
  ): Promise<{ readonly cancel: () => void; readonly sent: SentDeactivation }> {
    const { scope, alert } = entry;
    if (this.#isOutdated) await this.write();
    if (this.#isOutdated) throw notKept();
    if (this.deactivationsFor(scope).deactivationsLeft <= 0)
      throw new ControllerError('limit-reached', "The connection's deactivations of this hour are used up.");
    const restore = this.ledger.recordDismissal(entry);
    const sent = this.#deactivations.add({ namespace, scope, alert });
    const cancel = () => {
      restore();
      this.#deactivations.remove(sent);
      this.refresh();
    };
    try {
      await this.write();
      if (this.#isOutdated) throw notKept();
    } catch (error) {
      cancel();
      throw error;
    }
    return { cancel, sent };
  }

  /**
   * Updates the entries of a scope from a list, and returns those that ended because their alert is gone for good. Starts
   * a write without waiting for it: after a crash the next list shows the same. What does not end an entry is written a little
   * later: after an upgrade, list after list may describe its entries anew.
   */
  updateLedger(scope: string, news: LedgerNews): readonly DismissalRecord[] {
    const { size } = this.ledger;
    const { hasChanged, dropped } = this.ledger.update(scope, news);
    if (this.ledger.size < size) {
      this.abandonment.proven();
      this.refresh();
    } else if (hasChanged) this.refreshSoon();
    return dropped;
  }

  /** Starts a write without waiting for it. Retries a failed write until it succeeds. */
  refresh(): void {
    this.write().then(
      () => {
        this.#failures = 0;
      },
      (error: unknown) => this.#retryLater(error),
    );
  }

  /** As `refresh`, a little later, because one write can show what many first lists find. */
  refreshSoon(): void {
    this.refreshWithin(refreshSoonMs);
  }

  /** As `refresh`, at most `delayMs` later, together with the other changes until then. */
  refreshWithin(delayMs: number): void {
    const { clock } = this.#deps;
    const atMs = clock.monotonic() + delayMs;
    if (this.#stopping.signal.aborted || (this.#soon && this.#soon.atMs <= atMs)) return;
    this.#soon?.timer.cancel();
    const timer = clock.setTimer(delayMs, () => {
      this.#soon = undefined;
      this.refresh();
    });
    this.#soon = { atMs, timer };
  }

  /** Resolves once the status includes everything that was recorded before the call. */
  write(): Promise<void> {
    if (!this.#underWay) return this.#start();
    this.#next ??= this.#underWay.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  /** Waits up to `graceMs` for pending writes: one may take back an entry. */
  async stop(graceMs = 0): Promise<void> {
    const asked = this.#next ?? this.#underWay;
    if (asked && graceMs > 0) await within(this.#deps.clock, graceMs, asked).catch(() => undefined);
    this.#stopping.abort();
    this.#soon?.timer.cancel();
    this.abandonment.stop();
    await this.#next?.catch(() => undefined);
    await this.#underWay?.catch(() => undefined);
  }

  /** A second safeguard behind the rule of the CRD that refuses such a change while the ledger has entries. */
  #dropEntries(): void {
    const alerts = this.ledger.records().map(({ scope, alert }) => ({ scope, alert }));
    if (alerts.length === 0) return;
    this.ledger.load([]);
    const facts = { ...connectionFields(this.#deps.key), alerts };
    this.#deps.log.error(facts, 'dismissals dropped, their connection moved to another service');
    this.refresh();
  }

  #start(): Promise<void> {
    this.#next = undefined;
    const run = this.#replace().finally(() => {
      if (this.#underWay === run) this.#underWay = undefined;
    });
    this.#underWay = run;
    return run;
  }

  async #replace(): Promise<void> {
    const { cluster, key, clock, observer } = this.#deps;
    const { signal } = this.#stopping;
    let connection = cluster.connections.get(key);
    for (let tries = 1; ; tries++) {
      if (!connection || connection.metadata.uid !== this.#uid)
        throw new ControllerError('object-missing', 'The connection is gone.', { detail: key });
      try {
        if (this.ledger.size > 0) connection = await holdConnection(cluster, connection, true, signal);
        const facts = this.#facts();
        const status = nextConnectionStatus(connection, facts, clock.now());
        this.#roundBegins(connection, facts);
        if (!isSameJson(status, connection.status)) {
          this.#writing = status;
          const stored = await cluster.replaceConnectionStatus(connection, status, signal);
          cluster.connections.remember(stored);
          observer.statusWritten('connection');
          const event = capacityEvent(connection.status, status);
          recordTransition(this.#deps, connection, status, event ? [event] : []);
          const isOutdated = !isSameJson(status.recentDeactivations, stored.status?.recentDeactivations);
          if (isOutdated !== this.#isOutdated) this.refreshWithin(0);
          this.#isOutdated = isOutdated;
          connection = stored;
        }
        if (facts.dismissals.length === 0 && this.ledger.size === 0)
          await holdConnection(cluster, connection, false, signal);
        return;
      } catch (error) {
        if (!isClusterError(error, 'kube-conflict') || tries >= conflictTries) throw error;
      } finally {
        this.#writing = undefined;
      }
      connection = await cluster.readConnection(connection.metadata.namespace, connection.metadata.name, signal);
    }
  }

  /** Logs, once, how many scopes a start has to list, and at which rate. */
  #roundBegins({ spec: { limits } }: AnyConnection, { scopes, loads, isFirstRound }: ConnectionCounts): void {
    if (this.#hasBegun || !isFirstRound || loads.length === 0) return;
    this.#hasBegun = true;
    const { requestsPerHour } = limits;
    this.#deps.log.info({ ...connectionFields(this.#deps.key), scopes, requestsPerHour }, 'first round begins');
  }

  #facts(): ConnectionFacts {
    const { health, networkCause } = this.#deps.health();
    return {
      health: this.#isOutdated ? 'CRDOutdated' : health,
      networkCause,
      triedGeneration: this.#deps.triedGeneration(),
      ...this.#deps.counts(),
      clusterNamespace: this.#deps.cluster.clusterNamespace,
      dismissals: this.ledger.records(),
      recentDeactivations: this.#deactivations.records(),
    };
  }

  #retryLater(error: unknown): void {
    const { log, key, cluster } = this.#deps;
    // Only the watch proves that a connection was deleted or replaced: an API server that is starting answers 404 as well.
    const connection = cluster.connections.get(key);
    const isGone = connection === undefined || connection.metadata.uid !== this.#uid;
    if (this.#stopping.signal.aborted || isGone) return;
    const delayMs = doublingMs(++this.#failures, firstRetryMs, longestRetryMs);
    const level = isLogged(this.#failures) ? 'warn' : 'debug';
    log[level]({ ...connectionFields(key), ...errorFields(error), delayMs }, 'connection status not written');
    this.refreshWithin(delayMs);
  }
}

/** A limit that the API server does not keep would begin anew with each start. */
const notKept = () => outdated('the API server does not keep the deactivations');
