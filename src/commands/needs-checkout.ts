// The commands that start other programs of the checkout: a build that runs apart from it does not contain them.
import { LocalError } from '../lib/command-errors.ts';

/** The bundler defines this name in a build that runs apart from its checkout (.config/rolldown.ts). */
declare const rolealertsRunsApart: true;

/** False for the commands that this build lacks. */
export function isContained(command: string): boolean {
  return typeof rolealertsRunsApart === 'undefined' || (command !== 'demo' && command !== 'local');
}

/** Throws `local`. */
export function needsCheckout(command: 'demo' | 'local'): never {
  throw new LocalError(
    `This build does not contain the command ${command}: run npm ci && npm run -s rolealerts -- ${command} in a checkout.`,
  );
}
