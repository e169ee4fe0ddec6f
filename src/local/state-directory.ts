// The folder with the state of a local control plane, and the lock that orders the commands in it.
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { withFileLock } from './file-lock.ts';
import type { Print } from './long-steps.ts';
import type { Machine } from './machine.ts';

/** The place of a local control plane; each state folder has at most one. */
export interface LocalContext {
  readonly machine: Machine;
  readonly stateDirectory: string;
  /** The shell command for `rolealerts local VERB` with this state folder, to print. */
  readonly commandFor: (verb: string) => string;
  /** What happens on the way; the result goes to `print`. */
  readonly progress: Print;
  /** Prints a line of the result. */
  readonly print: Print;
}

const lockWithinMs = 120 * 60_000;

/** Creates the folder, readable by its owner only. Throws `LocalError` with the advice when the folder cannot be written. */
export async function prepareStateDirectory(
  { stateDirectory }: Pick<LocalContext, 'stateDirectory'>,
  advice = 'Name another folder with --state-dir.',
): Promise<void> {
  try {
    await makeDirectory(stateDirectory, 0o700);
    // The folder contains a credential and may be inside a git repository.
    await writeFile(join(stateDirectory, '.gitignore'), '*\n');
  } catch (cause) {
    const reason = messageOf(cause);
    throw new LocalError(`Cannot write to the state folder ${stateDirectory}: ${reason}. ${advice}`, { cause });
  }
}

/** Runs `work` while no other command changes the control plane here. Waits up to two hours. */
export function withStateLock<Result>(context: LocalContext, work: () => Promise<Result>): Promise<Result> {
  const onWaiting = () => context.progress('Another command is already running here; waiting for it');
  const options = { clock: context.machine.clock, withinMs: lockWithinMs, onWaiting };
  return withFileLock(join(context.stateDirectory, 'lock'), options, work);
}

/** The folder with the data of the control plane; absolute. */
export function dataDirectory(context: Pick<LocalContext, 'stateDirectory'>): string {
  return join(resolve(context.stateDirectory), 'control-plane');
}
