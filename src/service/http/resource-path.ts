// Parses a request target into an operation, scope and alert (section 4). Takes undecoded text; does not check whether scope
// and alert exist.
import { sameName } from '../../alerts/resource-id.ts';
import type { EndpointName, RouteName } from './message.ts';

/** Maximum length of a scope and an alert name, in code points, as JSON Schema counts. */
const nameLimit = 1024;

/** The endpoints that are not operations. Section 5 defines the first; the others have related or well-known paths. */
export const endpointPaths: Readonly<Record<EndpointName, string>> = {
  authorize: '/common/oauth2/authorize',
  token: '/common/oauth2/token',
  keys: '/common/oauth2/keys',
  metadata: '/.well-known/oauth-authorization-server',
  openapi: '/openapi.json',
};

const endpoints = new Map<string, EndpointName>(
  Object.entries(endpointPaths).map(([name, path]) => [path, name as EndpointName]),
);

export type Route =
  | { readonly name: 'list-alerts'; readonly scope: string }
  | { readonly name: 'update-alert'; readonly scope: string; readonly alertName: string }
  | { readonly name: EndpointName }
  | { readonly name: 'unknown' }
  | { readonly name: 'invalid'; readonly problem: string };

/** Methods of a route, as Allow lists them. */
export const methodsOf: Readonly<Record<Exclude<RouteName, 'unknown'>, readonly string[]>> = {
  'list-alerts': ['GET', 'HEAD', 'OPTIONS'],
  'update-alert': ['PATCH', 'OPTIONS'],
  authorize: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  token: ['POST', 'OPTIONS'],
  keys: ['GET', 'HEAD', 'OPTIONS'],
  metadata: ['GET', 'HEAD', 'OPTIONS'],
  openapi: ['GET', 'HEAD', 'OPTIONS'],
};

/** Path and query of a request target in origin or absolute form; undefined for any other form. */
export function splitTarget(target: string): { path: string; query: string } | undefined {
  const rest = target.slice(targetOrigin(target)?.length ?? 0);
  if (!rest.startsWith('/')) return undefined;
  const mark = rest.indexOf('?');
  return mark < 0 ? { path: rest, query: '' } : { path: rest.slice(0, mark), query: rest.slice(mark + 1) };
}

interface TargetOrigin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  /** Number of characters of the target. */
  readonly length: number;
}

/** The origin of a request target in absolute form; undefined for any other form. */
export function targetOrigin(target: string): TargetOrigin | undefined {
  if (target.startsWith('/')) return undefined;
  const [origin, scheme = '', host = ''] = /^(https?):\/\/([^/?#]+)/i.exec(target) ?? [];
  if (origin === undefined) return undefined;
  return { scheme: scheme.toLowerCase() === 'https' ? 'https' : 'http', host, length: origin.length };
}

/** The operation that `path` names. Slashes inside the scope may be sent as `%2F`. */
export function matchRoute(path: string, providerNamespace: string): Route {
  const endpoint = endpoints.get(path);
  if (endpoint) return { name: endpoint };
  const segments = path.slice(1).split('/');
  const decoded = decodeAll(segments);
  if (!decoded) return { name: 'invalid', problem: 'The path contains an invalid percent-encoding.' };
  if (endsInCollection(decoded, decoded.length, providerNamespace)) {
    return withScope(decoded.slice(0, -3), (scope) => ({ name: 'list-alerts', scope }));
  }
  if (!endsInCollection(decoded, decoded.length - 1, providerNamespace)) return { name: 'unknown' };
  const alertName = decoded.at(-1) ?? '';
  const problem = nameProblem(alertName, 'alert name');
  if (problem) return { name: 'invalid', problem };
  return withScope(decoded.slice(0, -4), (scope) => ({ name: 'update-alert', scope, alertName }));
}

/** The problem of an invalid scope (section 2.2: no leading slash); undefined for a valid one. */
export function scopeProblem(scope: string): string | undefined {
  if (scope.startsWith('/')) return 'The scope must not start with a slash.';
  const isBroken = scope.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  return isBroken
    ? 'The scope must consist of segments separated by single slashes; no segment may be empty, "." or "..".'
    : lengthOrControlProblem(scope, 'scope');
}

/** The problem of an invalid alert name; undefined for a valid one. */
export function nameProblem(name: string, what: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return `The ${what} must not be empty, "." or "..".`;
  return name.includes('/') ? `The ${what} must not contain a slash.` : lengthOrControlProblem(name, what);
}

function lengthOrControlProblem(text: string, what: string): string | undefined {
  if (text.length > nameLimit && Array.from(text).length > nameLimit)
    return `The ${what} is longer than ${nameLimit} characters.`;
  return /[\u0000-\u001f\u007f]/.test(text) ? `The ${what} contains a control character.` : undefined;
}

function withScope(segments: readonly string[], route: (scope: string) => Route): Route {
  const scope = segments.join('/');
  const problem = scopeProblem(scope);
  return problem ? { name: 'invalid', problem } : route(scope);
}

function decodeAll(segments: readonly string[]): readonly string[] | undefined {
  try {
    return segments.map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment));
  } catch {
    return undefined;
  }
}

function endsInCollection(segments: readonly string[], end: number, providerNamespace: string): boolean {
  return (
    end >= 3 &&
    isName(segments[end - 1], 'roleManagementAlerts') &&
    isName(segments[end - 2], providerNamespace) &&
    isName(segments[end - 3], 'providers')
  );
}

function isName(segment: string | undefined, name: string): boolean {
  return segment !== undefined && sameName(segment, name);
}
