// Rereads the file of `--registrations` and the files that it names, so that a change takes effect without a restart.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Registered } from '../oauth/registrations.ts';
import { followFile } from './follow-file.ts';
import { readRegistrationsFile } from './registrations-file.ts';

export interface FollowRegistrationsDeps {
  readonly file: string;
  /** What the file held when it was last read. */
  readonly filed: Registered;
  /** Puts new registrations in force. Throws `UsageError` if they do not fit those of the options. */
  readonly onNew: (filed: Registered) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Follows the file until the returned function is called. */
export function followRegistrations({ file, filed, onNew, clock, log }: FollowRegistrationsDeps): () => void {
  return followFile<Registered>({
    read: () => readRegistrationsFile(file),
    current: filed,
    isSame: (one, other) => contentOf(one) === contentOf(other),
    onNew: (registered) => {
      onNew(registered);
      log.info({ clients: registered.clients.length, users: registered.users.length }, 'registrations reread');
    },
    problemMessage: 'registrations not usable, keeping the previous ones',
    clock,
    log,
  });
}

/** Equal for equal registrations, secrets included. */
function contentOf({ clients, users }: Registered): string {
  return JSON.stringify([
    clients.map(({ secret, ...rest }) => [rest, secret?.reveal()]),
    users.map(({ password, ...rest }) => [rest, password?.reveal()]),
  ]);
}
