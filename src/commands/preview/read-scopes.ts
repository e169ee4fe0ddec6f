// The scopes that a command line names: each by itself, or one a line in a file.
import { canonicalScope } from '../../alerts/resource-id.ts';
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { readFileBytes } from '../../lib/read-bytes.ts';
import { groupVersion, policyKind } from '../../policy/resources.ts';
import { customResources } from '../manifests/custom-resources.ts';
import { ManifestValidator } from '../manifests/validate-manifest.ts';

export interface NamedScope {
  readonly scope: string;
  readonly displayName: string | undefined;
}

/** A scope as a user wrote it. */
interface WrittenScope {
  readonly text: string;
  /** What follows `#` on its line. */
  readonly displayName?: string | undefined;
  /** `--scope`, or the file and the line. */
  readonly origin: string;
}

type ReadInput = (limitBytes: number) => Promise<Uint8Array>;

/** A larger file is refused. */
const limitBytes = 8 * 1024 * 1024;

/** Wrong scopes beyond this number are counted. */
const shownProblems = 10;

/**
 * Each scope once, whatever its spelling, in the given order and without slashes at its ends. `file`: `-` for standard input. Throws
 * `UsageError` for a file that does not exist, and for scopes that a policy cannot have.
 */
export async function readScopes(
  given: readonly string[],
  file: string | undefined,
  readInput: ReadInput,
): Promise<readonly NamedScope[]> {
  const named = given.map((text): WrittenScope => ({ text, origin: '--scope' }));
  const listed = file === undefined ? [] : scopesIn(file, await textOf(file, readInput));
  const groups = Map.groupBy([...named, ...listed], ({ text }) => canonicalScope(text));
  const scopes = [...groups.values()].flatMap((same) => same.slice(0, 1));
  const problems = problemsOf(scopes);
  if (problems.length > 0) throw refusal(problems);
  return scopes.map(({ text, displayName }) => ({ scope: withoutSlashes(text), displayName }));
}

async function textOf(file: string, readInput: ReadInput): Promise<string> {
  const bytes =
    file === '-'
      ? await readInput(limitBytes)
      : await readFileBytes(file, limitBytes).catch((error) => unreadable(file, error));
  if (bytes.length > limitBytes)
    throw new LocalError(`--scopes-from: ${file} has more than ${limitBytes} bytes: split it.`);
  return new TextDecoder().decode(bytes);
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  if (error.code === 'ENOENT') throw new UsageError(`--scopes-from: ${file} does not exist.`);
  throw new LocalError(`--scopes-from: ${file} cannot be read: ${messageOf(error)}.`);
}

/** No scope holds a `#`. */
function scopesIn(file: string, text: string): readonly WrittenScope[] {
  const written = text.split(/\r?\n/).map((line, index) => {
    const [scope = '', displayName] = line.split(/#(.*)/).map((part) => part.trim());
    return { text: scope, displayName: displayName || undefined, origin: `${file}:${index + 1}` };
  });
  return written.filter((each) => each.text !== '');
}

/** The specification writes scopes without a leading slash and ids with one. */
const withoutSlashes = (text: string) => text.replace(/^\/+|\/+$/g, '');

function problemsOf(scopes: readonly WrittenScope[]): readonly string[] {
  const validator = new ManifestValidator(customResources);
  return scopes.flatMap(({ text, origin }) => {
    const problems = validator.validate(policyOn(withoutSlashes(text)))?.problems ?? [];
    return problems.slice(0, 1).map(({ message }) => `${origin}: ${message}`);
  });
}

function policyOn(scope: string): object {
  const spec = { connectionRef: { name: 'any' }, scope, alerts: [{ name: 'Any', state: 'Active' }] };
  return { apiVersion: groupVersion, kind: policyKind, metadata: { name: 'any' }, spec };
}

function refusal(problems: readonly string[]): UsageError {
  const more = problems.length - shownProblems;
  const lines = [...problems.slice(0, shownProblems), ...(more > 0 ? [`and ${more} more`] : [])];
  return new UsageError('Not every scope can be that of a policy: correct or remove it.', { detail: lines.join('\n') });
}
