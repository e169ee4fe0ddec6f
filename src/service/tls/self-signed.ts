// A certificate for trials: a CA and the one certificate that it signs. The CA's key is discarded at once, so trusting the CA means
// trusting exactly this certificate. ECDSA on P-256, RFC 5280. Loaded on demand, because the library is large.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  type Extension,
} from '@peculiar/x509';

import type { CertificatePair } from '../../lib/http-server.ts';

export interface SelfSigned extends CertificatePair {
  /** The CA certificate that clients must trust, in PEM. */
  readonly authority: string;
  readonly endsAtMs: number;
}

const lifetimeMs = 90 * 86_400_000;

/** The certificate starts this much before now, to tolerate the clock skew of clients. */
const earlierMs = 3_600_000;

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const serialBytes = 16;

/** `hosts` are ASCII names and addresses; IPv6 addresses have no brackets. */
export async function makeSelfSigned(hosts: readonly string[], nowMs: number): Promise<SelfSigned> {
  const [authority, service] = await Promise.all([makeKeys(), makeKeys()]);
  const endsAtMs = Math.floor((nowMs + lifetimeMs) / 1000) * 1000;
  // Each CA needs a unique name, because some clients select the CA of a bundle by name only.
  const issuer = `CN=rolealerts CA ${randomBytes(4).toString('hex')}`;
  const issued = {
    issuer,
    signer: authority,
    notBefore: new Date(Math.floor((nowMs - earlierMs) / 1000) * 1000),
    notAfter: new Date(endsAtMs),
  };
  return {
    authority: await makeCertificate({
      ...issued,
      subject: issuer,
      keys: authority,
      extensions: await authorityExtensions(authority),
    }),
    certificate: await makeCertificate({
      ...issued,
      subject: 'CN=rolealerts alerts service',
      keys: service,
      extensions: await serviceExtensions(service, authority, hosts),
    }),
    key: PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', service.privateKey), 'PRIVATE KEY'),
    endsAtMs,
  };
}

type Keys = webcrypto.CryptoKeyPair;

async function makeKeys(): Promise<Keys> {
  return webcrypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

interface CertificateDeps {
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly keys: Keys;
  readonly extensions: readonly Extension[];
  readonly signer: Keys;
}

/** A certificate in PEM. */
async function makeCertificate({ keys, extensions, signer, ...facts }: CertificateDeps): Promise<string> {
  // A serial number must be positive: the first bit is zero.
  const serialNumber = `01${randomBytes(serialBytes).toString('hex')}`;
  const certificate = await X509CertificateGenerator.create({
    ...facts,
    serialNumber,
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm,
    extensions: [...extensions],
  });
  return `${certificate.toString('pem')}\n`;
}

/** The CA may sign certificates of services, but no further CAs. */
async function authorityExtensions({ publicKey }: Keys): Promise<readonly Extension[]> {
  return [
    new BasicConstraintsExtension(true, 0, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
}

async function serviceExtensions(
  { publicKey }: Keys,
  authority: Keys,
  hosts: readonly string[],
): Promise<readonly Extension[]> {
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? ('dns' as const) : ('ip' as const), value: host }));
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension(names),
    await SubjectKeyIdentifierExtension.create(publicKey),
    await AuthorityKeyIdentifierExtension.create(authority.publicKey),
  ];
}
