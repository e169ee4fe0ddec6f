// What a connection has proven of each scope, by the ends of its lists: whether its policies have a say there over what other
// connections to the same service do. A URL alone proves nothing; a whole list with the connection's own credential does, until that
// credential is refused, gone or unlabelled, or the service refuses the scope. An outage ends nothing. No I/O; who is woken by a change
// is neighbours.ts's to say.
import type { Clock } from '../lib/clock.ts';
import type { CodedError } from '../lib/errors.ts';
import { isSameJson } from '../lib/same-json.ts';
import { claimEffectOf } from '../plan/failures.ts';
import type { Standing } from '../plan/types.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';

/** What a list made of the standings. */
export interface StandingChange {
  /** Scopes that are not proven any more. */
  readonly ended: readonly string[];
  /** Scopes that are proven now. */
  readonly begun: readonly string[];
  /** Scopes of which it is known now that the connection has no say there. */
  readonly refused: readonly string[] | 'All';
  /** Scopes that had been proven with a credential that no longer counts, to list again. */
  readonly again: readonly string[];
}

const unchanged: StandingChange = { ended: [], begun: [], refused: [], again: [] };

/** So long a 401 of one scope leaves the claims of the others alone while no list succeeds: one scope alone may be forbidden. */
const doubtMs = 300_000;

export class Standings {
  readonly #clock: Clock;
  /** `Ended`: was proven, or might have been, with a credential that is refused or gone. Scopes that are not here were not heard. */
  readonly #scopes = new Map<string, 'Proven' | 'Refused' | 'Ended'>();
  #identity: object | undefined;
  /** True after the connection failed on its own side, until a list succeeds: what was not heard then does not count. */
  #isBroken = false;
  /** Set when one scope was answered 401 while others are proven; monotonic milliseconds. */
  #doubtSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes over a new spec. With another endpoint or credential everything has to be proven again; limits and grants leave it. */
  renew(connection: RoleAlertConnection): void {
    const identity = identityOf(connection);
    if (isSameJson(identity, this.#identity)) return;
    this.#identity = identity;
    this.#scopes.clear();
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

  /** Milliseconds until a 401 of one scope ends the claims of the others, unless a list succeeds before; undefined without one. */
  get doubtLeftMs(): number | undefined {
    const sinceMs = this.#doubtSinceMs;
    return sinceMs === undefined ? undefined : Math.max(sinceMs + doubtMs - this.#clock.monotonic(), 0);
  }

  /** What time alone has changed since the last list ended. */
  settle(): StandingChange {
    if (this.doubtLeftMs !== 0) return unchanged;
    this.#doubtSinceMs = undefined;
    return this.#end();
  }

  /**
   * A list of the scope ended; `error` is undefined after a whole one. `connection` is the one it was sent for. Call `settle` before.
   */
  note(connection: RoleAlertConnection, scope: string, error: CodedError | undefined): StandingChange {
    if (!isSameJson(identityOf(connection), this.#identity)) return unchanged;
    if (!error) return this.#listed(scope);
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
    this.#scopes.delete(scope);
  }

  #listed(scope: string): StandingChange {
    const again = [...this.#scopes].filter(([each, standing]) => standing === 'Ended' && each !== scope);
    for (const [each] of again) this.#scopes.delete(each);
    const begun = this.of(scope) === 'Proven' ? [] : [scope];
    this.#scopes.set(scope, 'Proven');
    this.#isBroken = false;
    this.#doubtSinceMs = undefined;
    return { ...unchanged, begun, again: again.map(([each]) => each) };
  }

  #refuse(scope: string): StandingChange {
    const before = this.#scopes.get(scope);
    if (before === 'Refused') return unchanged;
    this.#scopes.set(scope, 'Refused');
    return { ...unchanged, ended: before === 'Proven' ? [scope] : [], refused: [scope] };
  }

  /** The first scope is believed while nothing else has been proven, two scopes always. One that was refused before says nothing new. */
  #refusedCredential(scope: string): StandingChange {
    if (this.#scopes.get(scope) === 'Refused') return unchanged;
    if (this.#doubtSinceMs !== undefined || this.proven().every((each) => each === scope)) return this.#end();
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
    for (const scope of ended) this.#scopes.set(scope, 'Ended');
    const refused = this.#isBroken ? [] : 'All';
    this.#isBroken = true;
    this.#doubtSinceMs = undefined;
    return { ...unchanged, ended, refused };
  }
}

/** What a connection proves something with. */
function identityOf({ metadata, spec }: RoleAlertConnection): object {
  return { uid: metadata.uid, endpoint: spec.endpoint, auth: spec.auth };
}
