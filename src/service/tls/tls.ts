// TLS as the service is told to have it: with files that others renew, or with a certificate of its own for trying out.
import type { DatabaseSync } from 'node:sqlite';

import type { Clock } from '../../lib/clock.ts';
import type { CertificatePair } from '../../lib/http-server.ts';
import type { Logger } from '../../lib/log.ts';
import { followCertificateFiles, readCertificateFiles, type CertificateFiles } from './certificate-files.ts';
import { hostsOf, openKeptCertificate, renewedBeforeMs } from './kept-certificate.ts';

/** Where the certificate comes from. */
export type TLSSource = ({ readonly kind: 'files' } & CertificateFiles) | { readonly kind: 'self-signed' };

export interface TLS {
  readonly pair: CertificatePair;
  /** What clients have to trust, in PEM; undefined when that is not for us to say. */
  readonly authority: string | undefined;
  /** Looks after the certificate until the returned function is called; repetition of that is harmless. */
  follow(onNew: (pair: CertificatePair) => void): () => void;
}

export interface TLSParts {
  readonly source: TLSSource;
  readonly database: DatabaseSync;
  readonly listenHost: string;
  readonly publicURL: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Throws `OperatorError` `usage` when the files cannot be used. */
export async function openTLS(parts: TLSParts): Promise<TLS> {
  const { source, database, clock, log } = parts;
  if (source.kind === 'files') {
    const pair = await readCertificateFiles(source);
    const follow = (onNew: (pair: CertificatePair) => void) =>
      followCertificateFiles({ files: source, pair, onNew, clock, log });
    return { pair, authority: undefined, follow };
  }
  const { authority, ...pair } = await openKeptCertificate(database, hostsOf(parts.listenHost, parts.publicURL), clock);
  return { pair, authority, follow: () => warnBeforeEnd(pair.endsAtMs, clock, log) };
}

/** The wall clock may be set, so it is asked once a day. */
const askedEveryMs = 86_400_000;

/** A new authority would be one that no client trusts yet, so only a restart makes it. */
function warnBeforeEnd(endsAtMs: number, clock: Clock, log: Logger): () => void {
  const delayMs = endsAtMs - renewedBeforeMs - clock.now();
  let cancel = () => timer.cancel();
  const timer = clock.setTimer(Math.min(Math.max(delayMs, 0), askedEveryMs), () => {
    if (delayMs > askedEveryMs) cancel = warnBeforeEnd(endsAtMs, clock, log);
    else
      log.warn(
        { endsAt: new Date(endsAtMs).toISOString() },
        'self-signed certificate ends soon, a restart makes a new one',
      );
  });
  return () => cancel();
}
