// The commands that start other programs of the checkout do not work in the executable, which is one file.
import { isSea } from 'node:sea';

import { LocalError } from '../lib/command-errors.ts';

/** Throws `local` in the executable. `command`: `demo`. */
export function needsCheckout(command: string): void {
  if (!isSea()) return;
  throw new LocalError(
    `The executable does not contain the command ${command}: run npm ci && npm run -s rolealerts -- ${command} in a checkout.`,
  );
}
