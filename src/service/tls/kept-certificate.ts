// The self-signed certificate of a data file: made once, so that clients may go on trusting the authority that they were given,
// and made anew when it ends soon or when the service is called by other names.
import type { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../../lib/clock.ts';
import { isEveryInterface } from '../../lib/http-server.ts';
import type { SelfSigned } from './self-signed.ts';

/** One that ends within this time is not used again. */
export const renewedBeforeMs = 7 * 86_400_000;

/** Good for everybody on this machine. */
const ownHosts = ['localhost', '127.0.0.1', '::1'];

/** The names and addresses that the certificate has to be good for. */
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
  /** JSON. */
  readonly hosts: string;
}
