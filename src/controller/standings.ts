// The standing of a connection on each scope, derived from its lists. Claims of a proven connection count for other
// connections to the same service. A URL alone proves nothing; a complete list with the connection's own credential
// does, until that credential is refused, deleted or unlabelled, or the service refuses the scope. An outage does not
// end a standing. No I/O; neighbours.ts requeues the scopes that a change affects.
import { AlertsError } from '../alerts/alerts-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { CodedError } from '../lib/errors.ts';
import { isSameJson } from '../lib/same-json.ts';
import { claimEffectOf } from '../plan/failures.ts';
import type { Standing } from '../plan/plan-input.ts';
import type { AnyConnection } from '../policy/resources.ts';

/** The effect of a list on the standings. */
export interface StandingChange {
  /** Scopes that are no longer proven. */
  readonly ended: readonly string[];
  /** Scopes that are newly proven. */
  readonly begun: readonly string[];
  /** Scopes that other connections need no longer wait for. */
  readonly refused: readonly string[] | 'All';
  /** Scopes whose proof was lost with the credential and that have to be listed again. */
  readonly again: readonly string[];
}

const unchanged: StandingChange = { ended: [], begun: [], refused: [], again: [] };

/**
 * For this time a 401 on one scope does not affect the claims on the others if no list succeeds: the service may forbid
 * only that scope.
 */
const doubtMs = 300_000;

export class Standings {
  readonly #clock: Clock;
  /** `Ended`: lost the proof when the credential was refused or removed. Absent scopes were never listed. */
  readonly #scopes = new Map<string, 'Proven' | 'Refused' | 'Ended'>();
  /** The scopes with the standing `Ended`, in the order in which they ended. */
  readonly #ended = new Set<string>();
  /** Number of scopes with the standing `Proven`. */
  #provenCount = 0;
  #identity: object | undefined;
  /**
   * True after a failure of the connection itself, until a list succeeds: its unlisted scopes then count as refused.
   */
  #isBroken = false;
  /** When one scope got 401 while others are proven; monotonic milliseconds. */
  #doubtSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Applies a new spec. A new endpoint or credential discards all standings; limits and grants do not. */
  renew(connection: AnyConnection): void {
    const identity = identityOf(connection);
    if (isSameJson(identity, this.#identity)) return;
    this.#identity = identity;
    this.#scopes.clear();
    this.#ended.clear();
    this.#provenCount = 0;
    this.#isBroken = false;
    this.#doubtSinceMs = undefined;
  }

  of(scope: string): Standing {
    const known = this.#scopes.get(scope);
    const isOver = this.doubtLeftMs === 0;
    if (known !== undefined) return known === 'Proven' && !isOver ? 'Proven' : 'Refused';
    return this.#isBroken || isOver ? 'Refused' : 'Unheard';
  }

  /** Scopes that are proven now. */
  proven(): string[] {
    if (this.doubtLeftMs === 0) return [];
    return [...this.#scopes].filter(([, standing]) => standing === 'Proven').map(([scope]) => scope);
  }

  /**
   * Milliseconds until a 401 on one scope ends the claims on the others, unless a list succeeds first; undefined
   * without such a 401.
   */
  get doubtLeftMs(): number | undefined {
    const sinceMs = this.#doubtSinceMs;
    return sinceMs === undefined ? undefined : Math.max(sinceMs + doubtMs - this.#clock.monotonic(), 0);
  }

  /** Applies the end of the doubt, if its time has come. */
  settle(): StandingChange {
    if (this.doubtLeftMs !== 0) return unchanged;
    this.#doubtSinceMs = undefined;
    return this.#end();
  }

  /**
   * Applies the end of a list of the scope; `error` is undefined after a complete list. `connection`: the object that
   * the list was sent for. Call `settle` first.
   */
  note(connection: AnyConnection, scope: string, error: CodedError | undefined): StandingChange {
    if (!isSameJson(identityOf(connection), this.#identity)) return unchanged;
    if (!error) return this.#listed(scope);
    if (!(error instanceof AlertsError)) return unchanged;
    switch (claimEffectOf(error)) {
      case 'CredentialGone':
        return this.#end();
      case 'CredentialRefused':
        return this.#refusedCredential(scope);
      case 'ScopeRefused':
        return this.#refuse(scope);
      case 'ConnectionBroken':
        return this.#break();
      case 'ListUnusable':
        return this.of(scope) === 'Unheard' ? this.#refuse(scope) : unchanged;
      case 'None':
        return unchanged;
    }
  }

  forget(scope: string): void {
    this.#set(scope, undefined);
  }

  /** The only writer of a standing. */
  #set(scope: string, standing: 'Proven' | 'Refused' | 'Ended' | undefined): void {
    if (this.#scopes.get(scope) === 'Proven') this.#provenCount--;
    if (standing === 'Proven') this.#provenCount++;
    if (standing === 'Ended') this.#ended.add(scope);
    else this.#ended.delete(scope);
    if (standing) this.#scopes.set(scope, standing);
    else this.#scopes.delete(scope);
  }

  #listed(scope: string): StandingChange {
    const again = [...this.#ended].filter((each) => each !== scope);
    for (const each of again) this.forget(each);
    const begun = this.of(scope) === 'Proven' ? [] : [scope];
    this.#set(scope, 'Proven');
    this.#isBroken = false;
    this.#doubtSinceMs = undefined;
    return { ...unchanged, begun, again };
  }

  #refuse(scope: string): StandingChange {
    const before = this.#scopes.get(scope);
    if (before === 'Refused') return unchanged;
    this.#set(scope, 'Refused');
    return { ...unchanged, ended: before === 'Proven' ? [scope] : [], refused: [scope] };
  }

  /**
   * Ends all claims if no other scope is proven, or on the second refused scope. A scope that was refused before adds
   * nothing.
   */
  #refusedCredential(scope: string): StandingChange {
    if (this.#scopes.get(scope) === 'Refused') return unchanged;
    const others = this.#provenCount - Number(this.#scopes.get(scope) === 'Proven');
    if (this.#doubtSinceMs !== undefined || others === 0) return this.#end();
    this.#doubtSinceMs = this.#clock.monotonic();
    return this.#refuse(scope);
  }

  #break(): StandingChange {
    if (this.#isBroken) return unchanged;
    this.#isBroken = true;
    return { ...unchanged, refused: 'All' };
  }

  #end(): StandingChange {
    const ended = this.proven();
    for (const scope of ended) this.#set(scope, 'Ended');
    const refused = this.#isBroken ? [] : 'All';
    this.#isBroken = true;
    this.#doubtSinceMs = undefined;
    return { ...unchanged, ended, refused };
  }
}

/** The parts of a connection that a proof depends on. */
function identityOf({ metadata, spec }: AnyConnection): object {
  return { uid: metadata.uid, endpoint: spec.endpoint, auth: spec.auth };
}
