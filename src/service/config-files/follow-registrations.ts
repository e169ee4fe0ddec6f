// Rereads the file of `--registrations` and the files that it names, so that a change takes effect without a restart.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Registered } from '../oauth/registrations.ts';
import { hashSecret } from '../oauth/secret-hash.ts';
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

interface Fingerprinted {
  readonly registered: Registered;
  readonly fingerprint: string;
}

/** Follows the file until the returned function is called. */
export function followRegistrations({ file, filed, onNew, clock, log }: FollowRegistrationsDeps): () => void {
  return followFile({
    read: async () => fingerprinted(await readRegistrationsFile(file)),
    current: fingerprinted(filed),
    isSame: (one, other) => one.fingerprint === other.fingerprint,
    onNew: ({ registered }: Fingerprinted) => {
      onNew(registered);
      log.info({ clients: registered.clients.length, users: registered.users.length }, 'registrations reread');
    },
    problemMessage: 'registrations not usable, keeping the previous ones',
    clock,
    log,
  });
}

function fingerprinted(registered: Registered): Fingerprinted {
  return { registered, fingerprint: fingerprintOf(registered) };
}

/** Equal for equal registrations, secrets included. */
function fingerprintOf({ clients, users }: Registered): string {
  const content = [
    clients.map(({ secret, ...rest }) => [rest, secret?.reveal()]),
    users.map(({ password, ...rest }) => [rest, password?.reveal()]),
  ];
  return Buffer.from(hashSecret(JSON.stringify(content))).toString('base64');
}
