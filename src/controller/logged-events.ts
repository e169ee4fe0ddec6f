// Logs every event, so that the log alone also has what `kubectl get events` shows.
import type { Logger } from '../lib/log.ts';
import type { EventPort } from './ports.ts';

/** Logs a Warning as a warning, and a Normal event as information. */
export function loggedEvents(events: EventPort, log: Logger): EventPort {
  return {
    record(event) {
      events.record(event);
      const { kind, namespace, name } = event.regarding;
      const { type, reason, action, note } = event;
      log[type === 'Warning' ? 'warn' : 'info']({ kind, namespace, name, reason, action, note }, 'event emitted');
    },
  };
}
