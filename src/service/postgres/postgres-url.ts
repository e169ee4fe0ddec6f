// The URL of `--database`: which server, which database, and how its connections are secured. A URL contains a password, so no
// message repeats it.
import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { readWholeFile } from '../../lib/read-file-bytes.ts';
import { SecretText } from '../../lib/secret-text.ts';

/** How a connection is secured; libpq's names. `prefer` and `allow` are refused, because an attacker can make them plain text. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
export type SSLMode = (typeof sslModes)[number];

/** Connections of one process, unless the URL has `pool_max_conns`. */
const defaultConnections = 10;
const mostConnections = 100;

const parameters = ['sslmode', 'sslrootcert', 'search_path', 'pool_max_conns'];

export interface PostgresSettings {
  /** A name or an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Absent: PGPASSWORD, or none. */
  readonly password: SecretText | undefined;
  readonly sslMode: SSLMode;
  /** The CAs to trust, in PEM. Absent: those of Node. */
  readonly authorities: string | undefined;
  /** The schema of the tables. Absent: the server's default for this user. */
  readonly schema: string | undefined;
  readonly connections: number;
}

/** Throws `UsageError`. Also reads the file of `sslrootcert`. */
export async function decodePostgresURL(text: SecretText): Promise<PostgresSettings> {
  const url = parseURL(text.reveal());
  const query = decodeQuery(url);
  const host = hostOf(url);
  const rootFile = query.get('sslrootcert');
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database: required(decodeURIComponent(url.pathname.slice(1)), 'a database: postgres://USER@HOST/DATABASE'),
    user: required(decodeURIComponent(url.username), 'a user: postgres://USER@HOST/DATABASE'),
    password: url.password === '' ? undefined : new SecretText(decodeURIComponent(url.password)),
    sslMode: sslModeOf(query.get('sslmode'), host),
    authorities: rootFile === undefined ? undefined : await readAuthorities(rootFile),
    schema: schemaOf(query.get('search_path')),
    connections: connectionsOf(query.get('pool_max_conns')),
  };
}

/** Host, port and database for a message and for the log. */
export function databasePlaceOf({ host, port, database }: PostgresSettings): string {
  return `${host}:${port}/${database}`;
}

const encoding = 'write #, / and ? in a password as %23, %2F and %3F';

function parseURL(text: string): URL {
  const url = /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) refuse(`must be a URL like postgres://USER:PASSWORD@HOST:5432/DATABASE; ${encoding}`);
  if (!isDecodable(url)) refuse('has an invalid percent-encoding: encode "%" as %25');
  return url;
}

function isDecodable({ hostname, pathname, username, password }: URL): boolean {
  try {
    return [hostname, pathname, username, password].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

function decodeQuery({ searchParams }: URL): ReadonlyMap<string, string> {
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) refuse(`has an unknown parameter; the parameters are ${parameters.join(', ')}`);
  if (new Set(names).size < names.length) refuse('repeats a parameter');
  return new Map(searchParams);
}

/** A host in percent-encoding, like `%2Fvar%2Frun`, is the folder of a Unix socket, as for libpq. */
function hostOf({ hostname }: URL): string {
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  return required(host, 'a host: postgres://USER@HOST/DATABASE');
}

/** Without a mode, a connection that leaves this machine is encrypted and verified. */
function sslModeOf(text: string | undefined, host: string): SSLMode {
  if (text === undefined) return host.startsWith('/') || isLoopback({ host }) ? 'disable' : 'verify-full';
  const mode = sslModes.find((each) => each === text);
  return mode ?? refuse(`has an invalid sslmode; use ${sslModes.join(', ')}`);
}

function schemaOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[a-z_][a-z0-9_]{0,62}$/.test(text)) return text;
  return refuse('has an invalid search_path: name one schema in lower-case letters, digits and "_"');
}

function connectionsOf(text: string | undefined): number {
  if (text === undefined) return defaultConnections;
  const count = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  // A scan holds one connection while requests use the others.
  return count >= 2 && count <= mostConnections
    ? count
    : refuse(`has an invalid pool_max_conns: use 2 to ${mostConnections}`);
}

async function readAuthorities(file: string): Promise<string> {
  const bytes = await readWholeFile(file).catch((cause: unknown) => {
    throw new UsageError(`Cannot read the file of sslrootcert in --database: ${messageOf(cause)}.`);
  });
  return bytes.toString('utf8');
}

function required(text: string, what: string): string {
  return text === '' ? refuse(`must name ${what}`) : text;
}

function refuse(problem: string): never {
  throw new UsageError(`The URL of --database ${problem}.`);
}
