// The TLS options of the service: certificate files that another program renews, or a self-signed certificate for trials.
import type { Clock } from '../../lib/clock.ts';
import type { CertificatePair } from '../../lib/http-server.ts';
import type { Logger } from '../../lib/log.ts';
import type { SqlQueries } from '../database/sql.ts';
import { followCertificateFiles, readCertificateFiles, type CertificateFiles } from './certificate-files.ts';
import { hostsOf, openKeptCertificate, renewedBeforeMs } from './kept-certificate.ts';

/** The source of the certificate. */
export type TLSSource = ({ readonly kind: 'files' } & CertificateFiles) | { readonly kind: 'self-signed' };

export interface TLS {
  readonly pair: CertificatePair;
  /** The CA certificate that clients must trust, in PEM; undefined for certificate files. */
  readonly authority: string | undefined;
  /** Watches the certificate until the returned function is called, which is idempotent. */
  follow(onNew: (pair: CertificatePair) => void): () => void;
}

export interface TLSDeps {
  readonly source: TLSSource;
  readonly sql: SqlQueries;
  readonly listenHost: string;
  readonly publicURL: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Throws `UsageError` for unusable files. */
export async function openTLS(deps: TLSDeps): Promise<TLS> {
  const { source, sql, clock, log } = deps;
  if (source.kind === 'files') {
    const pair = await readCertificateFiles(source);
    const follow = (onNew: (pair: CertificatePair) => void) =>
      followCertificateFiles(source, { current: pair, onNew, clock, log });
    return { pair, authority: undefined, follow };
  }
  const { authority, ...pair } = await openKeptCertificate(sql, hostsOf(deps.listenHost, deps.publicURL), clock);
  return { pair, authority, follow: () => warnBeforeEnd(pair.endsAtMs, clock, log) };
}

/** Check at least once a day, because the wall clock may step. */
const checkEveryMs = 86_400_000;

/** Warns only: a new CA, which no client trusts yet, requires a restart. */
function warnBeforeEnd(endsAtMs: number, clock: Clock, log: Logger): () => void {
  const delayMs = endsAtMs - renewedBeforeMs - clock.now();
  let cancel = () => timer.cancel();
  const timer = clock.setTimer(Math.min(Math.max(delayMs, 0), checkEveryMs), () => {
    if (delayMs > checkEveryMs) cancel = warnBeforeEnd(endsAtMs, clock, log);
    else
      log.warn(
        { endsAt: new Date(endsAtMs).toISOString() },
        'self-signed certificate expires soon, restart to generate a new one',
      );
  });
  return () => cancel();
}
