// Finds misspelled environment variables: names that begin as those of the options do, but belong to no option of any command.
import { nearestOf } from '../lib/compare-text.ts';
import { type Environment, environmentName, type Options, variableOf } from '../lib/options/option.ts';

export interface UnknownVariable {
  readonly variable: string;
  /** The variable that was probably meant. Absent when no name is similar. */
  readonly nearest?: string;
}

const prefix = environmentName('');

/** What Kubernetes sets for a Service whose name begins with rolealerts, unless the Pod has `enableServiceLinks: false`. */
const serviceLink = /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;

/** Ignores empty variables, which have no effect. `ofAll`: the variables of all commands, asked only when a name may be theirs. */
export async function findUnknownVariables(
  environment: Environment,
  options: Options,
  ofAll: () => Promise<readonly string[]>,
): Promise<readonly UnknownVariable[]> {
  const own = Object.values(options)
    .map(variableOf)
    .filter((name) => name !== undefined);
  const others = Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && environment[name] !== '' && !own.includes(name))
    .filter((name) => !serviceLink.test(name));
  if (others.length === 0) return [];
  const known = await ofAll();
  return others
    .filter((name) => !known.includes(name))
    .sort()
    .map((variable) => unknownVariable(variable, [...own, ...known]));
}

function unknownVariable(variable: string, known: readonly string[]): UnknownVariable {
  const withoutPrefix = (name: string) => name.slice(prefix.length);
  const nearest = nearestOf(withoutPrefix(variable), known.map(withoutPrefix));
  return { variable, ...(nearest !== undefined && { nearest: prefix + nearest }) };
}

/** The warning of a command that does not log. */
export function renderUnknownVariable({ variable, nearest }: UnknownVariable): string {
  const advice = nearest === undefined ? 'no option has this name.' : `did you mean ${nearest}?`;
  return `The environment variable ${variable} is ignored: ${advice}`;
}
