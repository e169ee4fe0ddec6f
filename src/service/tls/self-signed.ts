// A certificate for trying out: a certificate authority whose key is thrown away at once, and the one certificate that it signed.
// Clients trust the authority, and nobody, this service included, can make it sign anything else. ECDSA on P-256, RFC 5280.
// Loaded only when it is asked for: the library is as large as the rest of the service.
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
  /** What clients have to trust, in PEM. */
  readonly authority: string;
  readonly endsAtMs: number;
}

const lifetimeMs = 90 * 86_400_000;

/** It begins earlier than now: clocks of clients differ. */
const earlierMs = 3_600_000;

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const serialBytes = 16;

/** `hosts` are names in ASCII and addresses, IPv6 ones without brackets. */
export async function makeSelfSigned(hosts: readonly string[], nowMs: number): Promise<SelfSigned> {
  const [authority, service] = await Promise.all([makeKeys(), makeKeys()]);
  const endsAtMs = Math.floor((nowMs + lifetimeMs) / 1000) * 1000;
  // Two authorities in one bundle must be told apart by name: some clients look no further.
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

interface CertificateParts {
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly keys: Keys;
  readonly extensions: readonly Extension[];
  readonly signer: Keys;
}

/** In PEM. */
async function makeCertificate({ keys, extensions, signer, ...facts }: CertificateParts): Promise<string> {
  // A leading zero bit: the number is positive.
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

/** It signs certificates of services, no further authorities. */
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
