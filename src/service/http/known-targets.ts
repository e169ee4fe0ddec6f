// Parses request targets, and remembers those of lists: clients list the same scopes again and again, and parsing a target costs more
// than all other checks of a list together.
import { matchRoute, splitTarget, type Route } from './resource-path.ts';

/** A request target and what it names. */
export interface ParsedTarget {
  /** As sent, without the query. */
  readonly path: string;
  readonly route: Route;
  readonly query: OperationQuery;
}

/** The query parameters of the operations. Unknown parameters are ignored. */
export interface OperationQuery {
  /** The first known parameter that occurs more than once. */
  readonly repeated: string | undefined;
  /** Empty when absent. */
  readonly apiVersion: string;
  readonly skipToken: string | undefined;
}

/** Undefined for a target that is not a path. */
export type ParseTarget = (target: string) => ParsedTarget | undefined;

/** Above this number all are forgotten, so that made-up targets cannot fill the memory. */
const targetsKept = 4096;

/** Longer targets are parsed each time. */
const keptCharacters = 512;

export function createTargetParser(providerNamespace: string): ParseTarget {
  const known = new Map<string, ParsedTarget>();
  return (target) => {
    const earlier = known.get(target);
    if (earlier) return earlier;
    const parsed = parseTarget(target, providerNamespace);
    if (parsed?.route.name !== 'list-alerts' || target.length > keptCharacters) return parsed;
    if (known.size >= targetsKept) known.clear();
    known.set(target, parsed);
    return parsed;
  };
}

function parseTarget(target: string, providerNamespace: string): ParsedTarget | undefined {
  const split = splitTarget(target);
  if (!split) return undefined;
  const { path, query } = split;
  return { path, route: matchRoute(path, providerNamespace), query: parseQuery(query) };
}

function parseQuery(text: string): OperationQuery {
  const query = new URLSearchParams(text);
  return {
    repeated: ['api-version', 'skipToken'].find((name) => query.getAll(name).length > 1),
    apiVersion: query.get('api-version') ?? '',
    skipToken: query.get('skipToken') ?? undefined,
  };
}
