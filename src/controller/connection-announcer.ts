// What the operator logs and emits about one connection: the transitions of its conditions, a rate limit that no longer suffices,
// and the first round of a start. The event for its health comes from connection-health.ts.
import type { Logger } from '../lib/log.ts';
import { capacityEvent } from '../plan/capacity.ts';
import type { ConnectionCounts } from '../plan/connection-status.ts';
import type { RoleAlertConnectionStatus } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { connectionFields } from './log-fields.ts';
import type { EventPort } from './ports.ts';
import { recordTransition } from './record-transition.ts';

interface AnnouncerDeps {
  readonly key: string;
  readonly log: Logger;
  readonly events: EventPort;
}

export class ConnectionAnnouncer {
  readonly #deps: AnnouncerDeps;
  #hasBegun = false;

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  /** Logs, once, how many scopes a start has to list, and at which rate. */
  roundBegins({ spec: { limits } }: AnyConnection, { scopes, loads, isFirstRound }: ConnectionCounts): void {
    if (this.#hasBegun || !isFirstRound || loads.length === 0) return;
    this.#hasBegun = true;
    const { requestsPerHour } = limits;
    this.#deps.log.info({ ...connectionFields(this.#deps.key), scopes, requestsPerHour }, 'first round begins');
  }

  /** Call it after the status of `before` was replaced by `status`. */
  written(before: AnyConnection, status: RoleAlertConnectionStatus): void {
    const event = capacityEvent(before.status, status);
    recordTransition(this.#deps, before, status, event ? [event] : []);
  }
}
