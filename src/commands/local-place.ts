// Where a local control plane has its state, and the commands that manage it from any folder.
import { existsSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { shellQuote } from '../lib/shell-quote.ts';
import type { Host } from './host.ts';

export interface LocalPlace {
  readonly stateDirectory: string;
  /** The shell command for `local VERB` with this state, whatever the current folder is. */
  readonly commandFor: (verb: string) => string;
}

type Caller = Pick<Host, 'workingDirectory' | 'programFile' | 'facts'>;

/** The checkout that this program runs from; undefined for a bundle elsewhere. */
export function findCheckout(): string | undefined {
  const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
  return existsSync(join(root, 'src', 'main.ts')) ? root : undefined;
}

/** `given` is `--state-dir`. The default is one folder for the whole checkout, which npm scripts and subfolders share. */
export function localPlace(given: string | undefined, caller: Caller, checkout: string | undefined): LocalPlace {
  const { workingDirectory } = caller;
  const shared = checkout !== undefined && isWithin(checkout, workingDirectory) ? checkout : workingDirectory;
  const byDefault = join(shared, '.rolealerts');
  const stateDirectory = given === undefined ? byDefault : resolve(workingDirectory, given);
  const program = programCall(caller, checkout);
  // The command that is pasted may have another current folder; npm runs it in the checkout.
  const isFound = checkout !== undefined && stateDirectory === join(checkout, '.rolealerts') && isSource(caller);
  const flag = isFound ? '' : ` --state-dir ${shellQuote(stateDirectory)}`;
  return { stateDirectory, commandFor: (verb) => `${program} local ${verb}${flag}` };
}

function programCall(caller: Caller, checkout: string | undefined): string {
  if (checkout !== undefined && isSource(caller)) return `npm --prefix ${shellQuote(checkout)} run -s rolealerts --`;
  return `${shellQuote(caller.facts.execPath)} ${shellQuote(caller.programFile)}`;
}

function isWithin(folder: string, path: string): boolean {
  return `${path}${sep}`.startsWith(`${folder}${sep}`);
}

const isSource = ({ programFile }: Caller) => programFile.endsWith('.ts');
