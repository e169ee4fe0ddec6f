// The URL of `--database`: which server, which database, and how its connections are secured. A URL contains a password, so no
// message repeats it.
import { parse, type ConnectionOptions } from 'pg-connection-string';

import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { isLoopback } from '../../lib/ip-address.ts';
import { isObject } from '../../lib/json-shape.ts';
import { SecretText } from '../../lib/secret-text.ts';

/** libpq's names. `prefer` and `allow` are refused, because an attacker can make them plain text. */
const sslModes: readonly unknown[] = ['disable', 'require', 'verify-ca', 'verify-full'];

/** Connections of one process, unless the URL has `pool_max_conns`. */
const defaultConnections = 10;
const mostConnections = 100;

const parameters = ['sslmode', 'sslrootcert', 'search_path', 'pool_max_conns'];
const parts = new Set(['host', 'port', 'database', 'user', 'password', 'ssl', ...parameters]);

export interface PostgresSettings {
  /** A name or an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Absent: PGPASSWORD, or none. */
  readonly password: SecretText | undefined;
  /** The options of TLS; undefined for plain text. */
  readonly tls: object | undefined;
  /** The schema of the tables. Absent: the server's default for this user. */
  readonly schema: string | undefined;
  readonly connections: number;
}

/** Throws `UsageError`. Also reads the file of `sslrootcert`. */
export function decodePostgresURL(text: SecretText): PostgresSettings {
  const parsed = parseURL(text.reveal());
  const unknown = Object.keys(parsed).some((name) => !parts.has(name));
  if (unknown) refuse(`has an unknown parameter; the parameters are ${parameters.join(', ')}`);
  const { port, password = '', sslmode } = parsed;
  if (sslmode !== undefined && !sslModes.includes(sslmode)) {
    refuse(`has an invalid sslmode; use ${sslModes.join(', ')}`);
  }
  const host = required(parsed.host, 'a host');
  return {
    host,
    port: port ? Number(port) : 5432,
    database: required(parsed.database, 'a database'),
    user: required(parsed.user, 'a user'),
    password: password === '' ? undefined : new SecretText(password),
    tls: tlsOf(parsed, host),
    schema: schemaOf(parsed['search_path']),
    connections: connectionsOf(parsed['pool_max_conns']),
  };
}

/** Host, port and database for a message and for the log. */
export function databasePlaceOf({ host, port, database }: PostgresSettings): string {
  return `${host}:${port}/${database}`;
}

function parseURL(text: string): ConnectionOptions {
  // The parser also takes other forms.
  if (!/^postgres(?:ql)?:\/\//.test(text)) refuse('must be like postgres://USER:PASSWORD@HOST:5432/DATABASE');
  try {
    // The modes of TLS mean what they mean to libpq.
    return parse(text, { useLibpqCompat: true });
  } catch (error) {
    return refuse(`cannot be used: ${messageOf(error)}; write #, / and ? in a password as %23, %2F and %3F`);
  }
}

/** Without a mode, a connection that leaves this machine is encrypted and verified. */
function tlsOf({ ssl }: ConnectionOptions, host: string): object | undefined {
  if (isObject(ssl)) return ssl;
  return ssl === false || host.startsWith('/') || isLoopback({ host }) ? undefined : {};
}

function schemaOf(text: unknown): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(text)) return text;
  return refuse('has an invalid search_path: name one schema in lower-case letters, digits and "_"');
}

function connectionsOf(text: unknown): number {
  if (text === undefined) return defaultConnections;
  const count = typeof text === 'string' && /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  // A scan holds one connection while requests use the others.
  return count >= 2 && count <= mostConnections
    ? count
    : refuse(`has an invalid pool_max_conns: use 2 to ${mostConnections}`);
}

function required(text: string | null | undefined, what: string): string {
  return text ? text : refuse(`must name ${what}: postgres://USER@HOST/DATABASE`);
}

function refuse(problem: string): never {
  throw new UsageError(`The URL of --database ${problem}.`);
}
