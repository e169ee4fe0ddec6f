// What the service is started with: defaults, bounds, and who may call when nobody was named. Nothing is opened here:
// files and sockets come later. A wrong option is an `OperatorError` `usage` with the sentence the user reads.
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { ListenAddress } from '../lib/http-server.ts';
import type { Logger } from '../lib/log.ts';
import type { SecretSource } from '../lib/secret-source.ts';
import { SecretText } from '../lib/secret-text.ts';
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

/** Most alerts that one page may hold. */
const pageSizeLimit = 1000;

export interface AlertsServiceOptions {
  readonly listen: ListenAddress;
  /** SQLite file, created when missing. Absent: the state is in memory and ends with the service. */
  readonly dataFile?: string;
  /** YAML or JSON; loaded only into an empty store. */
  readonly seedFile?: string;
  /** The same as a document that was parsed already; `seedFile` goes first. */
  readonly seed?: unknown;
  /** Accepted beside the tokens of the token endpoint. Absent with no clients and users either: one is generated, on loopback only. */
  readonly staticToken?: SecretText;
  readonly clients?: readonly ServiceClient[];
  /** Who may sign in. */
  readonly users?: readonly ServiceUser[];
  /** The base address as clients see it, as a URL's origin: no slash at its end; absent means the address that it listens on. */
  readonly publicURL?: string;
  /** Each of them absent means its default. */
  readonly limits?: Partial<ServiceLimits>;
  /** Absent means that nothing is counted. */
  readonly observer?: ServiceObserver;
  /** Absent means plain HTTP. */
  readonly tls?: TLSSource;
  /** For each caller; absent means no limit. */
  readonly requestsPerSecond?: number;
  /** Absent means that nothing is scanned. */
  readonly scanner?: Pick<ScannerOptions, 'source' | 'thresholds' | 'intervalMs'>;
  /** A fault script in YAML or JSON. Absent means that there are no faults. */
  readonly faultsFile?: string;
  /** The same as a document that was parsed already; `faultsFile` goes first. */
  readonly faults?: unknown;
  /** Absent means that there is no admin port. */
  readonly admin?: AdminOptions;
  readonly pageSize?: number;
  readonly providerNamespace?: string;
  readonly apiVersion?: string;
  readonly tokenLifetimeMs?: number;
  readonly clock: Clock;
  readonly newSecret: SecretSource;
  readonly log: Logger;
  /** One line a request goes here; absent means none. */
  readonly accessLog?: Logger;
}

/** The options that need no further question. */
export interface ServiceSettings {
  readonly pageSize: number;
  readonly providerNamespace: string;
  readonly apiVersion: string;
  readonly tokenLifetimeMs: number;
  readonly clients: readonly ServiceClient[];
  readonly users: readonly ServiceUser[];
  readonly staticToken: SecretText | undefined;
  /** The static token when nobody chose it, to be shown once. */
  readonly generatedToken: SecretText | undefined;
}

/** Fills in the defaults and checks every bound. */
export function decodeOptions(options: AlertsServiceOptions): ServiceSettings {
  const { pageSize, providerNamespace, apiVersion, tokenLifetimeMs } = {
    ...serviceDefaults,
    ...withoutAbsent(options),
  };
  const clients = options.clients ?? [];
  requireThat(isWithin(pageSize, 1, pageSizeLimit), `The page size must be a whole number from 1 to ${pageSizeLimit}.`);
  requireThat(
    /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/.test(providerNamespace),
    'The provider namespace must look like Vendor.Authorization.',
  );
  requireThat(apiVersion !== '', 'The api-version must not be empty.');
  const { publicURL, requestsPerSecond = 1 } = options;
  requireThat(
    publicURL === undefined || isOrigin(publicURL),
    'The public URL must be http or https and a host, no path.',
  );
  requireThat(requestsPerSecond > 0, 'The requests a second must be more than 0.');
  requireThat(isWithin(tokenLifetimeMs, 1000, 86_400_000), 'The token lifetime must be from one second to one day.');
  const twice = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) !== index);
  const client = twice(clients.map(({ id }) => id));
  requireThat(client === undefined, `The client ${client} is named twice.`);
  const users = options.users ?? [];
  const user = twice(users.map(({ name }) => name));
  requireThat(user === undefined, `The user ${user} is named twice.`);
  const generatedToken = generateToken(options);
  const staticToken = checkToken(options.staticToken ?? generatedToken);
  return { pageSize, providerNamespace, apiVersion, tokenLifetimeMs, clients, users, staticToken, generatedToken };
}

/** Reads `NAME:PASSWORD` pairs, as `parseServiceClients` does. */
export function parseServiceUsers(texts: readonly string[]): readonly ServiceUser[] {
  const sentence = 'A user must be given as NAME:PASSWORD, neither of them empty.';
  return parsePairs(texts, sentence).map(([name, password]) => ({ name, password: new SecretText(password) }));
}

/** Reads `ID:SECRET` pairs; one text may hold several with white space between, as an environment variable does. */
export function parseServiceClients(texts: readonly string[]): readonly ServiceClient[] {
  const sentence = 'A client must be given as ID:SECRET, neither of them empty.';
  return parsePairs(texts, sentence).map(([id, secret]) => ({ id, secret: new SecretText(secret) }));
}

function parsePairs(texts: readonly string[], sentence: string): readonly (readonly [string, string])[] {
  const pairs = texts.flatMap((text) => text.split(/\s+/)).filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const [, name = '', secret = ''] = /^([^:]+):(.+)$/.exec(pair) ?? [];
    requireThat(name !== '' && secret !== '', sentence);
    return [name, secret];
  });
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

export function isLoopback({ host }: ListenAddress): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/** A service that nobody can call is of no use, one that everybody on the network can call is worse. */
function generateToken(options: AlertsServiceOptions): SecretText | undefined {
  const { staticToken, clients = [], users = [], listen, newSecret } = options;
  if (staticToken || clients.length + users.length > 0) return undefined;
  requireThat(
    isLoopback(listen),
    'Name a static token, a client or a user: without one the service listens on loopback only.',
  );
  return newSecret();
}

function checkToken(token: SecretText | undefined): SecretText | undefined {
  const isUsable = !token || /^[A-Za-z0-9\-._~+/]+=*$/.test(token.reveal());
  requireThat(
    isUsable,
    'The static token may only have letters, digits and the characters - . _ ~ + / =, the last at its end.',
  );
  return token;
}

function withoutAbsent(options: AlertsServiceOptions): Partial<typeof options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function requireThat(isRight: boolean, sentence: string): void {
  if (!isRight) throw new OperatorError('usage', sentence);
}
