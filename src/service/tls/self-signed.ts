// A certificate for trying out: a certificate authority whose key is thrown away at once, and the one certificate that it signed.
// Clients trust the authority, and nobody, this service included, can make it sign anything else. ECDSA on P-256, RFC 5280.
import { createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';

import type { CertificatePair } from '../../lib/http-server.ts';
import {
  bitString,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  set,
  time,
  trueValue,
  utf8String,
  type DER,
} from './der.ts';

export interface SelfSigned extends CertificatePair {
  /** What clients have to trust, in PEM. */
  readonly authority: string;
  readonly endsAtMs: number;
}

const lifetimeMs = 90 * 86_400_000;

/** It begins earlier than now: clocks of clients differ. */
const earlierMs = 3_600_000;

const oids = {
  ecdsaWithSHA256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** `hosts` are names in ASCII and addresses, IPv6 ones without brackets. */
export async function makeSelfSigned(hosts: readonly string[], nowMs: number): Promise<SelfSigned> {
  const [authority, service] = await Promise.all([makeKeys(), makeKeys()]);
  const endsAtMs = Math.floor((nowMs + lifetimeMs) / 1000) * 1000;
  const validity = sequence(time(nowMs - earlierMs), time(endsAtMs));
  // Two authorities in one bundle must be told apart by name: some clients look no further.
  const issuer = nameOf(`rolealerts CA ${Buffer.from(authority.id).toString('hex').slice(0, 8)}`);
  const issued = { issuer, validity, signer: authority };
  return {
    authority: makeCertificate({
      ...issued,
      subject: issuer,
      keys: authority,
      extensions: authorityExtensions(authority),
    }),
    certificate: makeCertificate({
      ...issued,
      subject: nameOf('rolealerts alerts service'),
      keys: service,
      extensions: serviceExtensions(service, authority, hosts),
    }),
    key: service.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    endsAtMs,
  };
}

interface Keys {
  readonly privateKey: KeyObject;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  /** Key identifier: 160 bits of the point's SHA-256 (RFC 7093 section 2, method 1). */
  readonly id: Uint8Array;
}

/** An uncompressed point on P-256; it ends a SubjectPublicKeyInfo. */
const pointBytes = 65;

async function makeKeys(): Promise<Keys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const info = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(info.subarray(-pointBytes)).digest().subarray(0, 20);
  return { privateKey, publicKey: info, id };
}

interface CertificateParts {
  readonly issuer: DER;
  readonly subject: DER;
  readonly validity: DER;
  readonly keys: Keys;
  readonly extensions: readonly DER[];
  readonly signer: Keys;
}

/** In PEM. */
function makeCertificate({ issuer, subject, validity, keys, extensions, signer }: CertificateParts): string {
  const algorithm = sequence(oid(oids.ecdsaWithSHA256));
  const version3 = explicit(0, integer(Uint8Array.of(2)));
  const serial = integer(randomBytes(16));
  const extensionList = explicit(3, sequence(...extensions));
  const content = sequence(version3, serial, algorithm, issuer, validity, subject, keys.publicKey, extensionList);
  const signature = bitString(sign('sha256', content, signer.privateKey));
  return pemOf(sequence(content, algorithm, signature));
}

function pemOf(der: DER): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): DER {
  return sequence(set(sequence(oid(oids.commonName), utf8String(commonName))));
}

/** It signs certificates of services, no further authorities. */
function authorityExtensions({ id }: Keys): readonly DER[] {
  return [
    critical(oids.basicConstraints, sequence(trueValue(), integer(Uint8Array.of(0)))),
    critical(oids.keyUsage, bitString(Uint8Array.of(keyUsages.keyCertSign), 2)),
    extension(oids.subjectKeyIdentifier, octetString(id)),
  ];
}

function serviceExtensions({ id }: Keys, authority: Keys, hosts: readonly string[]): readonly DER[] {
  return [
    critical(oids.basicConstraints, sequence()),
    critical(oids.keyUsage, bitString(Uint8Array.of(keyUsages.digitalSignature), 7)),
    extension(oids.extendedKeyUsage, sequence(oid(oids.serverAuth))),
    extension(oids.subjectAltName, sequence(...hosts.map(generalName))),
    extension(oids.subjectKeyIdentifier, octetString(id)),
    extension(oids.authorityKeyIdentifier, sequence(implicit(0, authority.id))),
  ];
}

/** The bits of RFC 5280 section 4.2.1.3, the first one highest. */
const keyUsages = { digitalSignature: 0b1000_0000, keyCertSign: 0b0000_0100 } as const;

function extension(id: string, value: DER): DER {
  return sequence(oid(id), octetString(value));
}

function critical(id: string, value: DER): DER {
  return sequence(oid(id), trueValue(), octetString(value));
}

/** RFC 5280 section 4.2.1.6: 2 is a name, 7 an address. */
function generalName(host: string): DER {
  return isIP(host) === 0 ? implicit(2, new TextEncoder().encode(host)) : implicit(7, addressBytes(host));
}

function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.').map(Number));
  // A URL writes it in its one short form: no dots, at most one gap.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = short.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...gap, ...after].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}
