// Rereads the file of `--registrations` and the files that it names, so that a change takes effect without a restart.
import type { Registered } from '../oauth/registrations.ts';
import { followFile, type FollowDeps } from './follow-file.ts';
import { readRegistrationsFile } from './registrations-file.ts';

/** Follows the file until the returned function is called. `onNew` throws for registrations that do not fit those of the options. */
export function followRegistrations(file: string, deps: FollowDeps<Registered>): () => void {
  return followFile({
    ...deps,
    read: () => readRegistrationsFile(file),
    isSame: (one, other) => contentOf(one) === contentOf(other),
    onNew(registered) {
      deps.onNew(registered);
      deps.log.info({ clients: registered.clients.length, users: registered.users.length }, 'registrations reread');
    },
    problemMessage: 'registrations not usable, keeping the previous ones',
  });
}

/** Equal for equal registrations, secrets included. */
function contentOf({ clients, users }: Registered): string {
  return JSON.stringify([
    clients.map(({ secret, ...rest }) => [rest, secret?.reveal()]),
    users.map(({ password, ...rest }) => [rest, password?.reveal()]),
  ]);
}
