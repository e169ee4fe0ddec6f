// What the controller logs of objects: the fields that name them, each event, and each condition that changes with a status.
import type { Logger } from '../lib/log.ts';
import { partsOfConnectionKey } from '../policy/connection-key.ts';
import type { Condition } from '../policy/generated/role-alert-policy.ts';
import { type AnyConnection, referenceTo, type RoleAlertPolicy } from '../policy/resources.ts';
import type { ScopeRef } from '../policy/scope-ref.ts';
import type { ClusterPort, EventPort } from './ports.ts';
import type { EventDraft } from './report/event-draft.ts';

interface Recorders {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly events: EventPort;
}

/**
 * `before`: with the status that `next` replaced. A condition differs with its status, reason or message. `Ready` that becomes False is a
 * warning: exactly one line of a transition says at that level that the object needs attention.
 */
export function recordTransition(
  { log, events }: Recorders,
  before: RoleAlertPolicy | AnyConnection,
  next: { readonly conditions?: readonly Condition[] },
  drafts: readonly EventDraft[],
): void {
  const regarding = referenceTo(before);
  const { kind, namespace, name } = regarding;
  const [old, now] = [before.status?.conditions ?? [], next.conditions ?? []];
  for (const condition of now) {
    if (old.some((each) => isSame(each, condition))) continue;
    const { type, status, reason, message } = condition;
    const level = type === 'Ready' && status === 'False' ? 'warn' : 'info';
    log[level]({ kind, namespace, name, type, status, reason, message }, 'condition changed');
  }
  for (const { type, reason } of old.filter((each) => !now.some((condition) => condition.type === each.type)))
    log.info({ kind, namespace, name, type, reason }, 'condition removed');
  for (const draft of drafts) events.record({ regarding, ...draft });
}

function isSame(a: Condition, b: Condition): boolean {
  return a.type === b.type && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** `key`: of a connection; one of cluster scope has no namespace. */
export const connectionFields = partsOfConnectionKey;

/** A line about one scope names the connection through which it is reached. */
export function scopeFields({ connection, scope }: ScopeRef) {
  return { ...connectionFields(connection), scope };
}

/**
 * Logs a Warning as a warning, and a Normal event as information. A namespace that is being deleted takes no new objects: its events are
 * only logged.
 */
export function loggedEvents(
  events: EventPort,
  { namespaces }: Pick<ClusterPort, 'namespaces'>,
  log: Logger,
): EventPort {
  return {
    record(event) {
      const { kind, namespace, name } = event.regarding;
      const { type, reason, action, note } = event;
      const isRefused = namespaces.get(namespace ?? '')?.metadata.deletionTimestamp !== undefined;
      if (!isRefused) events.record(event);
      const message = isRefused ? 'event not sent, its namespace is being deleted' : 'event emitted';
      log[type === 'Warning' ? 'warn' : 'info']({ kind, namespace, name, reason, action, note }, message);
    },
  };
}
