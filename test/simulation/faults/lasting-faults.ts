// Permanent faults: one scope that the service always fails, for all connections or for one only. Unlike the
// faults of the fault plan these do not end, so everything else has to continue.
import type { Random } from '../../../src/lib/random.ts';
import { keyOfCaller } from '../alerts/callers.ts';
import type { Fate, SimRequest } from '../engine/types.ts';
import { serviceFaults } from './service-faults.ts';

export interface LastingFault {
  readonly origin: string;
  readonly scope: string;
  /** A name of serviceFaults. */
  readonly name: string;
  readonly fromMs: number;
  /** `namespace/name`: only for that one. */
  readonly connection?: string;
}

/** The permanent responses of a service about one scope. */
export const lastingKinds = [
  '400',
  '401',
  '403',
  '404',
  '429',
  '500',
  '503',
  'reset',
  'black hole',
  'half-open',
  'html',
  'huge',
  'wrong shape',
  'page loop',
  'foreign next link',
  'cut body',
] as const;

/** The faults with which the service rejects the scope for every client. */
export const refusingKinds = ['400', '401', '403', '404'] as const;

export interface LastingFaultsDeps {
  readonly random: Random;
  readonly nowMs: () => number;
  readonly callerOf: (headers: SimRequest['headers']) => string | undefined;
  readonly count: (name: string) => void;
}

export class LastingFaults {
  readonly all: LastingFault[] = [];
  readonly #parts: LastingFaultsDeps;

  constructor(parts: LastingFaultsDeps) {
    this.#parts = parts;
  }

  fateOf(request: Omit<SimRequest, 'atMs'>): Fate | undefined {
    if (this.all.length === 0) return undefined;
    const { random, nowMs, callerOf, count } = this.#parts;
    const scope = scopeIn(request.path);
    const fault = this.all.find(
      ({ origin, scope: failing, fromMs, connection }) =>
        origin === request.origin &&
        failing.toLowerCase() === scope &&
        nowMs() >= fromMs &&
        (connection === undefined || keyOfCaller(callerOf(request.headers) ?? '') === connection),
    );
    const fate = fault && serviceFaults[fault.name]?.({ request, random, isPatient: false });
    if (fate) count(`lasting ${fault.name}`);
    return fate;
  }

  /** The faults that a connection meets at a scope, now or later. */
  at(origin: string, scope: string, connection: string): LastingFault[] {
    return this.all.filter(
      (fault) =>
        fault.origin === origin &&
        fault.scope.toLowerCase() === scope.toLowerCase() &&
        (fault.connection === undefined || fault.connection === connection),
    );
  }
}

/** Undefined for another path. */
function scopeIn(path: string): string | undefined {
  const [, scope] = /^\/([^?]+)\/providers\//.exec(path) ?? [];
  return scope === undefined ? undefined : decodeURIComponent(scope).toLowerCase();
}
