// Rereads the file of `--registrations` and the files that it names. A change takes effect without a restart; an invalid file is logged
// once, and the previous registrations stay in force.
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { repeatEvery } from '../../lib/repeat.ts';
import type { Registered } from '../oauth/registrations.ts';
import { hashSecret } from '../oauth/secret-hash.ts';
import { readRegistrationsFile } from './registrations-file.ts';

/** Time between two checks. */
const checkEveryMs = 30_000;

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
  let inForce = fingerprintOf(filed);
  let lastProblem: string | undefined;
  return repeatEvery(checkEveryMs, clock, async () => {
    try {
      const found = await readRegistrationsFile(file);
      const fingerprint = fingerprintOf(found);
      if (fingerprint !== inForce) {
        onNew(found);
        log.info({ clients: found.clients.length, users: found.users.length }, 'registrations reread');
      }
      inForce = fingerprint;
      lastProblem = undefined;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== lastProblem) log.warn({ error: problem }, 'registrations not usable, keeping the previous ones');
      lastProblem = problem;
    }
  });
}

/** Equal for equal registrations, secrets included. */
function fingerprintOf({ clients, users }: Registered): string {
  const content = [
    clients.map(({ secret, ...rest }) => [rest, secret?.reveal()]),
    users.map(({ password, ...rest }) => [rest, password?.reveal()]),
  ];
  return Buffer.from(hashSecret(JSON.stringify(content))).toString('base64');
}
