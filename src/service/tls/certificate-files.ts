// A certificate and its key in files that another program renews, for example cert-manager. The files are reread periodically, and a
// changed, matching pair takes effect. A pair that does not match is logged once, and the previous pair stays in use.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { cleanText } from '../../lib/clean-text.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import type { CertificatePair } from '../../lib/http-server.ts';
import { readWholeFile } from '../../lib/read-bytes.ts';
import { followFile, type FollowDeps } from '../config-files/follow-file.ts';

export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Throws `UsageError` that names the files and the problem. */
export async function readCertificateFiles(files: CertificateFiles): Promise<CertificatePair> {
  try {
    const pair = await readPair(files);
    checkPair(pair);
    return pair;
  } catch (cause) {
    const { certificateFile, keyFile } = files;
    const reason = cleanText(messageOf(cause)).replace(/\.$/, '');
    throw new UsageError(`Cannot use the certificate ${certificateFile} with the key ${keyFile}: ${reason}.`);
  }
}

/** Calls `onNew` for each valid pair that differs from the previous one, until the returned function is called. */
export function followCertificateFiles(files: CertificateFiles, deps: FollowDeps<CertificatePair>): () => void {
  return followFile({
    ...deps,
    read: () => readCertificateFiles(files),
    isSame,
    onNew(pair) {
      deps.onNew(pair);
      deps.log.info({ endsAt: endOf(pair) }, 'certificate renewed');
    },
    problemMessage: 'new certificate not usable, keeping the previous one',
  });
}

async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<CertificatePair> {
  const certificate = (await readWholeFile(certificateFile)).toString('utf8');
  return { certificate, key: (await readWholeFile(keyFile)).toString('utf8') };
}

/** Checks with clear messages; Node itself reports nothing for an empty file, or an OpenSSL code. */
function checkPair({ certificate, key }: CertificatePair): void {
  const first = orThrow('the certificate is not PEM', () => new X509Certificate(certificate));
  const privateKey = orThrow('the key is not an unencrypted private key in PEM', () => createPrivateKey(key));
  if (!first.checkPrivateKey(privateKey)) {
    throw new UsageError('the key does not belong to the (first) certificate');
  }
  createSecureContext({ cert: certificate, key });
}

function orThrow<T>(message: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new UsageError(message);
  }
}

function isSame(one: CertificatePair, other: CertificatePair): boolean {
  return one.certificate === other.certificate && one.key === other.key;
}

function endOf({ certificate }: CertificatePair): string {
  return new X509Certificate(certificate).validToDate.toISOString();
}
