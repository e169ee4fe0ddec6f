// Recognizes that a package of the program is not installed, so that a new checkout gets a sentence instead of a stack trace.
// main.ts loads this file before it checks the version of Node.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What to do about an import that failed because `npm ci` has not run in this checkout; undefined for any other error. */
export function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined;
  const [, name] = /^Cannot find package '([^']+)'/.exec(error.message) ?? [];
  if (name === undefined) return undefined;
  const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
  return `The package ${name} is not installed. Run npm ci in ${root} first.`;
}
