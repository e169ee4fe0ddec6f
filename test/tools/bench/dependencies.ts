// The dependencies of another side: those of this checkout, unless that side names one that this checkout lacks.
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';

export interface DependencySources {
  /** A folder `node_modules`. */
  readonly own: string;
  /** Installs what the lock file in a directory names. Throws with the output of the failed command. */
  readonly install: (directory: string) => Promise<void>;
  readonly announce: (line: string) => void;
}

/**
 * Gives a checkout the dependencies of this one, or its own if its package.json names one that this one lacks. `name` names the
 * checkout in messages.
 */
export async function provideDependencies(
  name: string,
  directory: string,
  { own, install, announce }: DependencySources,
): Promise<void> {
  const missing = (await readDependencies(directory)).filter((each) => !existsSync(join(own, each)));
  if (missing.length === 0) {
    await symlink(own, join(directory, 'node_modules'));
    return;
  }
  announce(
    `${name} needs ${missing.join(', ')}, which this checkout lacks: installing its own dependencies with npm ci`,
  );
  try {
    await install(directory);
  } catch (cause) {
    const fix = `Install them in a checkout of ${name} and pass its directory to --against instead`;
    throw new Error(`npm ci failed for the dependencies of ${name}. ${fix}.`, { cause });
  }
}

/** The names of the packages that the bundle of a checkout may contain. */
async function readDependencies(directory: string): Promise<readonly string[]> {
  const { dependencies = {} } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}
