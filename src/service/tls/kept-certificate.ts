// The self-signed certificate in the data file. It is kept, so that clients can continue to trust its CA, and replaced when it
// expires soon or when the hosts change.
import type { Clock } from '../../lib/clock.ts';
import { isEveryInterface } from '../../lib/listen-address.ts';
import type { SqlQueries } from '../database/sql.ts';
import type { SelfSigned } from './self-signed.ts';

/** A certificate that expires within this time is replaced. */
export const renewedBeforeMs = 7 * 86_400_000;

/** The hosts of clients on the same machine. */
const ownHosts = ['localhost', '127.0.0.1', '::1'];

/** The names and addresses that the certificate must be valid for. */
export function hostsOf(listenHost: string, publicURL: string | undefined): readonly string[] {
  const publicHost = publicURL === undefined ? '' : new URL(publicURL).hostname.replace(/^\[(.*)\]$/, '$1');
  const hosts = [...ownHosts, listenHost, publicHost].filter((host) => !isEveryInterface(host));
  return [...new Set(hosts)].sort((a, b) => a.localeCompare(b, 'en'));
}

export async function openKeptCertificate(
  sql: SqlQueries,
  hosts: readonly string[],
  clock: Clock,
): Promise<SelfSigned> {
  const hostsText = JSON.stringify(hosts);
  const kept = await readKept(sql);
  if (kept?.hosts === hostsText && kept.endsAtMs - renewedBeforeMs > clock.now()) return kept;
  const { makeSelfSigned } = await import('./self-signed.ts');
  const made = await makeSelfSigned(hosts, clock.now());
  await keep(sql, { ...made, hosts: hostsText });
  return made;
}

/** The CA certificate in PEM; undefined before the first start with a self-signed certificate. */
export async function readAuthority(sql: SqlQueries): Promise<string | undefined> {
  return (await readKept(sql))?.authority;
}

interface Kept extends SelfSigned {
  /** The hosts as JSON text. */
  readonly hosts: string;
}

async function readKept(sql: SqlQueries): Promise<Kept | undefined> {
  const [row] = await sql.query('SELECT authority, certificate, key, hosts, ends_at_ms FROM certificate');
  return (
    row && {
      authority: String(row['authority']),
      certificate: String(row['certificate']),
      key: String(row['key']),
      hosts: String(row['hosts']),
      endsAtMs: Number(row['ends_at_ms']),
    }
  );
}

async function keep(sql: SqlQueries, { hosts, authority, certificate, key, endsAtMs }: Kept): Promise<void> {
  await sql.query(
    `INSERT INTO certificate (id, hosts, authority, certificate, key, ends_at_ms) VALUES (1, $1, $2, $3, $4, $5)
     ON CONFLICT (id) DO UPDATE SET hosts = excluded.hosts, authority = excluded.authority,
       certificate = excluded.certificate, key = excluded.key, ends_at_ms = excluded.ends_at_ms`,
    [hosts, authority, certificate, key, endsAtMs],
  );
}
