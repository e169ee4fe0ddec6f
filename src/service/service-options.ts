// The options of the service: defaults, bounds, and the generated token. Opens no files and sockets. An invalid option throws
// `CodedError` `usage` with a message for the user.
import type { Clock } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import { isWholeNumber } from '../lib/json-shape.ts';
import type { ListenAddress } from '../lib/listen-address.ts';
import type { Logger } from '../lib/log.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { SecretSource } from '../lib/secret-source.ts';
import { SecretText } from '../lib/secret-text.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import type { AdminOptions } from './admin/admin-port.ts';
import type { ServiceLimits } from './http/limits.ts';
import type { ServiceClient, ServiceUser } from './oauth/registrations.ts';
import type { ServiceObserver } from './observer.ts';
import type { ScannerOptions } from './scanner/scanner.ts';
import type { TLSSource } from './tls/tls.ts';

export const serviceDefaults = {
  pageSize: 50,
  providerNamespace: 'Vendor.Authorization',
  apiVersion: '2022-08-01-preview',
  tokenLifetimeMs: 3_600_000,
} as const;

/** Maximum number of alerts on a page. */
const pageSizeLimit = 1000;

export interface AlertsServiceOptions {
  readonly listen: ListenAddress;
  /** SQLite file, created if missing. Absent: the state is in memory only. */
  readonly dataFile?: string;
  /** YAML or JSON; loaded only into an empty store. */
  readonly seedFile?: string;
  /** The seed as a parsed document; `seedFile` takes precedence. */
  readonly seed?: unknown;
  /** Accepted beside the tokens of the token endpoint. Absent, and without clients and users: generated, on loopback only. */
  readonly staticToken?: SecretText;
  readonly clients?: readonly ServiceClient[];
  /** The users who may sign in. */
  readonly users?: readonly ServiceUser[];
  /** The external base URL, an origin without a trailing slash. Absent: the listen address. */
  readonly publicURL?: string;
  /** Overrides of single limits. */
  readonly limits?: Partial<ServiceLimits>;
  /** Absent: no metrics. */
  readonly observer?: ServiceObserver;
  /** Absent: plain HTTP. */
  readonly tls?: TLSSource;
  /** Limit for each caller. Absent: no limit. */
  readonly requestsPerSecond?: number;
  /** Absent: no scans. */
  readonly scanner?: Pick<ScannerOptions, 'source' | 'thresholds' | 'intervalMs'>;
  /** A fault script in YAML or JSON. Absent: no faults. */
  readonly faultsFile?: string;
  /** The fault script as a parsed document; `faultsFile` takes precedence. */
  readonly faults?: unknown;
  /** Absent: no admin port. */
  readonly admin?: AdminOptions;
  readonly pageSize?: number;
  readonly providerNamespace?: string;
  readonly apiVersion?: string;
  readonly tokenLifetimeMs?: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
  /** Receives one line for each request. Absent: no access log. */
  readonly accessLog?: Logger;
}

/** The checked options, with defaults. */
export interface ServiceOptions {
  readonly pageSize: number;
  readonly providerNamespace: string;
  readonly apiVersion: string;
  readonly tokenLifetimeMs: number;
  readonly clients: readonly ServiceClient[];
  readonly users: readonly ServiceUser[];
  readonly staticToken: SecretText | undefined;
  /** The static token if it was generated; show it once. */
  readonly generatedToken: SecretText | undefined;
}

/** Applies the defaults and checks every bound. */
export function decodeOptions(options: AlertsServiceOptions): ServiceOptions {
  const { pageSize, providerNamespace, apiVersion, tokenLifetimeMs } = {
    ...serviceDefaults,
    ...withoutUndefined(options),
  };
  const clients = options.clients ?? [];
  requireThat(
    isWholeNumber(pageSize, 1, pageSizeLimit),
    `The page size must be a whole number from 1 to ${pageSizeLimit}.`,
  );
  requireThat(
    /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(providerNamespace),
    'The provider namespace must have a form like Vendor.Authorization.',
  );
  requireThat(apiVersion !== '', 'The api-version must not be empty.');
  const { publicURL, requestsPerSecond = 1 } = options;
  requireThat(
    publicURL === undefined || isOrigin(publicURL),
    'The public URL must be an http or https URL without a path.',
  );
  requireThat(requestsPerSecond > 0, 'The requests per second must be more than 0.');
  requireThat(
    isWholeNumber(tokenLifetimeMs, 1000, 86_400_000),
    'The token lifetime must be from one second to one day.',
  );
  const twice = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) !== index);
  const client = twice(clients.map(({ id }) => id));
  requireThat(client === undefined, `The client ${client} is registered twice.`);
  const users = options.users ?? [];
  const user = twice(users.map(({ name }) => name));
  requireThat(user === undefined, `The user ${user} is registered twice.`);
  const generatedToken = generateToken(options);
  const staticToken = checkToken(options.staticToken ?? generatedToken);
  return { pageSize, providerNamespace, apiVersion, tokenLifetimeMs, clients, users, staticToken, generatedToken };
}

/** Parses `NAME:PASSWORD` pairs, in the same way as `parseServiceClients`. */
export function parseServiceUsers(texts: readonly string[]): readonly ServiceUser[] {
  const message = 'A user must be given as NAME:PASSWORD, neither of them empty.';
  return parsePairs(texts, message).map(([name, password]) => ({ name, password: new SecretText(password) }));
}

/** Parses `ID:SECRET` pairs. One text may contain several pairs separated by white space, as an environment variable does. */
export function parseServiceClients(texts: readonly string[]): readonly ServiceClient[] {
  const message = 'A client must be given as ID:SECRET, neither of them empty.';
  return parsePairs(texts, message).map(([id, secret]) => ({ id, secret: new SecretText(secret) }));
}

function parsePairs(texts: readonly string[], message: string): readonly (readonly [string, string])[] {
  const pairs = texts.flatMap((text) => text.split(/\s+/)).filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name = '', secret = ''] = /^([^:]+):(.+)$/.exec(pair) ?? [];
    requireThat(name !== '' && secret !== '', message);
    return [name, secret];
  });
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

/** Without a token, client or user, the service needs a token to be usable. It prints one only when it listens on loopback. */
function generateToken(options: AlertsServiceOptions): SecretText | undefined {
  const { staticToken, clients = [], users = [], listen, newSecret } = options;
  if (staticToken || clients.length + users.length > 0) return undefined;
  requireThat(
    isLoopback(listen),
    'Set a static token, a client or a user: without one the service listens on loopback only.',
  );
  return newSecret();
}

function checkToken(token: SecretText | undefined): SecretText | undefined {
  const isUsable = !token || /^[A-Za-z0-9\-._~+/]+=*$/.test(token.reveal());
  requireThat(
    isUsable,
    'The static token may contain only letters, digits and the characters - . _ ~ + /, and = at its end.',
  );
  return token;
}

function requireThat(isRight: boolean, message: string): void {
  if (!isRight) throw new CodedError('usage', message);
}
