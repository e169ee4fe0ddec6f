// The environment variables of the proxies for outbound requests. They have no flags: every program of the platform reads the
// same names, and a password in a flag would show in the list of processes.
import { UsageError } from '../../lib/command-errors.ts';
import { parseNoProxy, parseProxy, type Proxies, type Proxy } from '../../lib/proxy.ts';

export interface Variable {
  /** The first one that is not empty counts. */
  readonly names: readonly [string, string];
  readonly description: string;
}

export const proxyVariables = {
  https: {
    names: ['HTTPS_PROXY', 'https_proxy'],
    description: 'The proxy for services and token endpoints at https:// URLs: http://HOST:PORT or https://HOST:PORT.',
  },
  http: {
    names: ['HTTP_PROXY', 'http_proxy'],
    description: 'The proxy for those at http:// URLs, which require --allow-http.',
  },
  noProxy: {
    names: ['NO_PROXY', 'no_proxy'],
    description:
      'The hosts that are reached without a proxy, separated by commas: names, which include the names below them, addresses, networks such as 10.0.0.0/8, or * for all.',
  },
} as const satisfies Readonly<Record<string, Variable>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined when the environment names no proxy. Throws `usage` for a proxy that cannot be used. */
export function readProxies(environment: Environment): Proxies | undefined {
  const https = readProxy(proxyVariables.https, environment);
  const http = readProxy(proxyVariables.http, environment);
  if (https === undefined && http === undefined) return undefined;
  return { https, http, isDirect: parseNoProxy(valueOf(proxyVariables.noProxy, environment)) };
}

/** What the log shows of the proxies: no user and no password. */
export function describeProxies({ https, http }: Proxies, environment: Environment): Record<string, string> {
  const noProxy = valueOf(proxyVariables.noProxy, environment);
  return {
    ...(https && { httpsProxy: https.origin }),
    ...(http && { httpProxy: http.origin }),
    ...(noProxy !== '' && { noProxy }),
  };
}

/** For the help. */
export function describeProxyVariables(): string {
  const lines = Object.values(proxyVariables).map(
    ({ names: [name], description }) => `  ${name}\n      ${description}`,
  );
  return ['Environment, in upper or lower case:', ...lines].join('\n');
}

function readProxy(variable: Variable, environment: Environment): Proxy | undefined {
  const text = valueOf(variable, environment);
  if (text === '') return undefined;
  const proxy = parseProxy(text);
  if (proxy !== undefined) return proxy;
  const name = variable.names.find((each) => environment[each] === text) ?? variable.names[0];
  throw new UsageError(
    `${name} needs a proxy such as http://proxy.example:3128; only http and https proxies are supported.`,
  );
}

function valueOf({ names }: Variable, environment: Environment): string {
  return names.map((name) => environment[name]?.trim() ?? '').find((text) => text !== '') ?? '';
}
