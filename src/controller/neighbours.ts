// Connections that meet at one endpoint and scope: whether each has a say there, and which of them reconcile a scope because of what
// another one found. Only what may change a decision wakes a neighbour, and a scope is woken every few seconds at most, so that nobody
// spends the budget of another connection.
import type { Clock } from '../lib/clock.ts';
import type { OperatorError } from '../lib/errors.ts';
import type { Standing } from '../plan/types.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import type { Catalog, ScopeRef } from './catalog.ts';
import type { Session } from './session.ts';
import type { StandingChange } from './standings.ts';

export interface NeighboursOptions {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly sessionOf: (connection: string) => Session | undefined;
  /** Scopes that policies name through a connection, or its ledger holds. */
  readonly scopesOf: (connection: string) => ReadonlySet<string>;
}

const betweenWakesMs = 5000;

export class Neighbours {
  readonly #options: NeighboursOptions;

  constructor(options: NeighboursOptions) {
    this.#options = options;
  }

  standingOf({ connection, scope }: ScopeRef): Standing {
    return this.#options.sessionOf(connection)?.standings.of(scope) ?? 'Unheard';
  }

  /** False while the connection, or this scope of it, does not reach the service. */
  canAct({ connection, scope }: ScopeRef): boolean {
    const session = this.#options.sessionOf(connection);
    return session === undefined || (session.gate.isOpen && !session.isFailing(scope));
  }

  /** A list ended. Connections that wait to hear this one, or lose or gain by it, reconcile the scope. */
  note(session: Session, connection: RoleAlertConnection, scope: string, error: OperatorError | undefined): void {
    const { standings } = session;
    this.#follow(session, standings.settle());
    const hadDoubt = standings.doubtLeftMs !== undefined;
    this.#follow(session, standings.note(connection, scope, error));
    if (hadDoubt || standings.doubtLeftMs === undefined) return;
    const { clock } = this.#options;
    session.setDoubtTimer(clock.setTimer(standings.doubtLeftMs, () => this.#follow(session, standings.settle())));
  }

  #follow(session: Session, change: StandingChange): void {
    const isAlone = this.#options.catalog.siblings(session.key).length < 2;
    if (!isAlone) for (const each of change.again) session.lane.add(each, 'resync');
    for (const each of change.ended) this.wakeOthers({ connection: session.key, scope: each });
    for (const each of change.begun) this.#wakeConcerned({ connection: session.key, scope: each });
    const refused = change.refused === 'All' ? this.#options.scopesOf(session.key) : change.refused;
    for (const each of refused) this.#wakeWaiting({ connection: session.key, scope: each });
  }

  /** A policy came, went or changed. Without a say it concerns only those who wait for it. */
  policyChanged(ref: ScopeRef): void {
    if (this.standingOf(ref) === 'Proven') this.wakeOthers(ref);
    else this.#wakeWaiting(ref);
  }

  /** Its grant, its endpoint or its credential may be another. `before`: whom it met until now; `proven`: where it had a say. */
  connectionChanged(
    connection: string,
    { before, proven, scopes }: { before: readonly string[]; proven: readonly string[]; scopes: Iterable<string> },
  ): void {
    const met = [...new Set([...before, ...this.#options.catalog.siblings(connection)])];
    for (const scope of proven) this.wakeOthers({ connection, scope }, met);
    for (const scope of scopes) this.#wakeWaiting({ connection, scope }, met);
  }

  /** Every other connection with something at stake there reconciles the scope. */
  wakeOthers({ connection, scope }: ScopeRef, others = this.#options.catalog.siblings(connection)): void {
    for (const key of others) if (key !== connection) this.#wake({ connection: key, scope });
  }

  /** Those who wait to hear of the claims there. */
  #wakeWaiting(ref: ScopeRef, among = this.#options.catalog.siblings(ref.connection)): void {
    const isWaiting = (key: string) => this.#options.sessionOf(key)?.isWaiting(ref.scope) === true;
    this.wakeOthers(ref, among.filter(isWaiting));
  }

  /** These, and those who keep an alert inactive. */
  #wakeConcerned(ref: ScopeRef): void {
    const hasEntry = (key: string) => this.#options.sessionOf(key)?.recorder.scopes().has(ref.scope) === true;
    this.#wakeWaiting(ref);
    this.wakeOthers(ref, this.#options.catalog.siblings(ref.connection).filter(hasEntry));
  }

  #wake(ref: ScopeRef): void {
    const { catalog, clock, sessionOf } = this.#options;
    const session = sessionOf(ref.connection);
    if (!session || (catalog.policiesAt(ref).size === 0 && !session.recorder.scopes().has(ref.scope))) return;
    const nowMs = clock.monotonic();
    const { wokenMs } = session.state(ref.scope);
    // Where that moment lies ahead it may have gone with an earlier reconcile, so it is asked for again.
    const atMs = wokenMs <= nowMs ? Math.max(wokenMs + betweenWakesMs, nowMs) : wokenMs;
    session.step(ref.scope, { kind: 'Woken', atMs });
    session.lane.add(ref.scope, 'resync', atMs - nowMs);
  }
}
