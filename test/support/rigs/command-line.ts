// The command line of a script that a person runs: `--help` prints the usage, and a mistake an error message.
import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Ends the process with 0 after `--help`, and with 2 after an option that it does not take. */
export function readCommandLine<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

export function refuse(problem: string): never {
  console.error(`${problem}\nSee --help.`);
  process.exit(2);
}
