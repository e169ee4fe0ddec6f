// A certificate and its key in files that something else renews (cert-manager does): looked at again and again, and taken
// when they changed and fit together. What does not fit is said once, and the pair before it stays.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

import { cleanText } from '../../lib/clean-text.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { messageOf, OperatorError } from '../../lib/errors.ts';
import type { CertificatePair } from '../../lib/http-server.ts';
import type { Logger } from '../../lib/log.ts';

export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

/** Long before a certificate ends a new one is there; nobody waits for it. */
const lookEveryMs = 30_000;

/** Throws `OperatorError` `usage` that names the files and what is wrong. */
export async function readCertificateFiles(files: CertificateFiles): Promise<CertificatePair> {
  try {
    const pair = await readPair(files);
    checkPair(pair);
    return pair;
  } catch (cause) {
    const { certificateFile, keyFile } = files;
    const reason = cleanText(messageOf(cause)).replace(/\.$/, '');
    throw new OperatorError(
      'usage',
      `The certificate ${certificateFile} with the key ${keyFile} cannot be used: ${reason}.`,
    );
  }
}

export interface FollowParts {
  readonly files: CertificateFiles;
  /** What is in use now. */
  readonly pair: CertificatePair;
  readonly onNew: (pair: CertificatePair) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls `onNew` for every usable pair that differs from the one before, until the returned function is called. */
export function followCertificateFiles({ files, pair, onNew, clock, log }: FollowParts): () => void {
  let isStopped = false;
  let timer: Timer | undefined;
  let current = pair;
  let said: string | undefined;

  const look = async () => {
    try {
      const found = await readCertificateFiles(files);
      said = undefined;
      if (isStopped || isSame(found, current)) return;
      onNew(found);
      current = found;
      log.info({ endsAt: endOf(found) }, 'certificate renewed');
    } catch (error) {
      const sentence = messageOf(error);
      if (sentence !== said) log.warn({ err: sentence }, 'new certificate not usable, the one before stays');
      said = sentence;
    }
  };

  const lookLater = () => {
    timer = clock.setTimer(lookEveryMs, () => {
      void look().then(() => {
        if (!isStopped) lookLater();
      });
    });
  };
  lookLater();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}

async function readPair({ certificateFile, keyFile }: CertificateFiles): Promise<CertificatePair> {
  const certificate = await readFile(certificateFile, 'utf8');
  return { certificate, key: await readFile(keyFile, 'utf8') };
}

/** What Node says by itself is either nothing (an empty file) or a code of OpenSSL. */
function checkPair({ certificate, key }: CertificatePair): void {
  const first = orSay('the certificate is not PEM', () => new X509Certificate(certificate));
  const privateKey = orSay('the key is not an unencrypted private key in PEM', () => createPrivateKey(key));
  if (!first.checkPrivateKey(privateKey)) {
    throw new OperatorError('usage', 'the key does not belong to the (first) certificate');
  }
  createSecureContext({ cert: certificate, key });
}

function orSay<T>(sentence: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new OperatorError('usage', sentence);
  }
}

function isSame(one: CertificatePair, other: CertificatePair): boolean {
  return one.certificate === other.certificate && one.key === other.key;
}

function endOf({ certificate }: CertificatePair): string {
  return new X509Certificate(certificate).validToDate.toISOString();
}
