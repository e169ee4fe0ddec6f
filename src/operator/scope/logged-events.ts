// Logs every event, so that the log alone also has what `kubectl get events` shows.
import type { Logger } from '../../lib/log.ts';
import type { ClusterPort, EventPort } from '../ports.ts';

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
