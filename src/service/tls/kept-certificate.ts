// The self-signed certificate in the data file. It is kept, so that clients can continue to trust its CA, and replaced when it
// expires soon or when the hosts change.
import type { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../../lib/clock.ts';
import { isEveryInterface } from '../../lib/listen-address.ts';
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
  database: DatabaseSync,
  hosts: readonly string[],
  clock: Clock,
): Promise<SelfSigned> {
  const hostsText = JSON.stringify(hosts);
  const kept = database
    .prepare('SELECT authority, certificate, key, hosts, ends_at_ms AS endsAtMs FROM certificate')
    .get() as KeptRow | undefined;
  if (kept?.hosts === hostsText && kept.endsAtMs - renewedBeforeMs > clock.now()) return kept;
  const { makeSelfSigned } = await import('./self-signed.ts');
  const made = await makeSelfSigned(hosts, clock.now());
  database
    .prepare(
      `INSERT OR REPLACE INTO certificate (id, hosts, authority, certificate, key, ends_at_ms)
       VALUES (1, ?, ?, ?, ?, ?)`,
    )
    .run(hostsText, made.authority, made.certificate, made.key, made.endsAtMs);
  return made;
}

interface KeptRow extends SelfSigned {
  /** The hosts as JSON text. */
  readonly hosts: string;
}
