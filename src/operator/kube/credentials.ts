// Reads the values that a connection refers to: a key of a Secret or of a ConfigMap, on demand, without a cache or a watch.
// A Secret must carry the credential label. Otherwise a connection's author could make the operator send any Secret to a host.
import { isUtf8 } from 'node:buffer';

import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';

import { AlertsError } from '../../alerts/alerts-error.ts';
import { trimEndOf } from '../../lib/clean-text.ts';
import { isObject, ownMember, stringOf } from '../../lib/json-shape.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { consentText, hasConsent, secretConsent } from '../../policy/consent.ts';
import type { CredentialRef } from '../../policy/resources.ts';
import { isKubeError, type KubeError, unreachable } from './kube-error.ts';
import { objectPath, type KubeResource } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export interface CredentialReader {
  /** Rejects with `credential-missing` (no Secret, no such key, empty value), `credential-not-allowed` (no label or permission), or a `kube-…` code. */
  readSecretValue(namespace: string, name: string, key: string, signal?: AbortSignal): Promise<SecretText>;
  /** Rejects with `credential-missing` likewise. A ConfigMap needs no label: it contains nothing secret. */
  readConfigMapValue(namespace: string, name: string, key: string, signal?: AbortSignal): Promise<string>;
}

const secrets: KubeResource = { group: '', version: 'v1', plural: 'secrets' };
const configMaps: KubeResource = { group: '', version: 'v1', plural: 'configmaps' };

export function createCredentialReader(transport: KubeTransport): CredentialReader {
  const read = async <T>(resource: KubeResource, where: Where, reason: string, signal?: AbortSignal) => {
    const { kind, namespace, name } = where;
    try {
      const path = objectPath(resource, namespace, name);
      const object = await transport.request<T | null>({ verb: 'get', path, signal });
      if (isObject(object)) return object;
      throw unreachable('the response is not an object', { reason: 'BadAnswer' });
    } catch (error) {
      if (isKubeError(error, 'kube-not-found')) throw missing(`${kind} ${namespace}/${name} does not exist.`, reason);
      if (isKubeError(error, 'kube-denied')) throw denied(`${kind} ${namespace}/${name}`, error);
      throw error;
    }
  };

  return {
    async readSecretValue(namespace, name, key, signal) {
      const where = { kind: 'Secret', namespace, name, key } as const;
      return secretValueOf(await read<V1Secret>(secrets, where, 'SecretNotFound', signal), where);
    },
    async readConfigMapValue(namespace, name, key, signal) {
      const where = { kind: 'ConfigMap', namespace, name, key } as const;
      return configMapValueOf(await read<V1ConfigMap>(configMaps, where, 'ConfigMapNotFound', signal), where);
    },
  };
}

/** The key of the Secret at `where`. Throws `credential-missing` and `credential-not-allowed` as `readSecretValue` rejects. */
export function secretValueOf(secret: Pick<V1Secret, 'metadata' | 'data'>, where: CredentialRef): SecretText {
  if (!hasConsent(secret.metadata, secretConsent)) throw notAllowed(where);
  return new SecretText(decodeSecretValue(ownValue(secret.data, where.key), where));
}

/** The key of the ConfigMap at `where`. Throws `credential-missing`. */
export function configMapValueOf(
  configMap: Pick<V1ConfigMap, 'data'>,
  { namespace, name, key }: CredentialRef,
): string {
  const value = ownValue(configMap.data, key);
  if (value === undefined || value.trim() === '')
    throw missing(`ConfigMap ${namespace}/${name} has no key ${key}, or its value is empty.`, 'ConfigMapNotFound');
  return value;
}

/** Names the value in messages. */
interface Where extends CredentialRef {
  readonly kind: 'Secret' | 'ConfigMap';
}

/** The decoded text, without trailing line breaks, which `echo` adds. */
function decodeSecretValue(encoded: string | undefined, { namespace, name, key }: CredentialRef): string {
  const unusable = (problem: string) =>
    missing(`The value of key ${key} in Secret ${namespace}/${name} is ${problem}.`, 'SecretInvalid');
  if (encoded === undefined) throw missing(`Secret ${namespace}/${name} has no key ${key}.`, 'SecretNotFound');
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) throw unusable('not base64');
  if (!isUtf8(bytes)) throw unusable('not text');
  const text = trimEndOf(bytes.toString('utf8'), '\r\n');
  if (text.trim() === '') throw unusable('empty');
  return text;
}

/** Ignores inherited members, such as `constructor`, and values that are not text, which a proxy's response may contain. */
function ownValue(data: Readonly<Record<string, unknown>> | null | undefined, key: string): string | undefined {
  return stringOf(ownMember(data ?? {}, key));
}

function missing(message: string, reason: string): AlertsError {
  return new AlertsError('credential-missing', message, { reason });
}

function denied(what: string, cause: KubeError): AlertsError {
  return new AlertsError('credential-not-allowed', `The operator may not read ${what}.`, { cause });
}

function notAllowed({ namespace, name }: CredentialRef): AlertsError {
  return new AlertsError(
    'credential-not-allowed',
    `Secret ${namespace}/${name} does not carry ${consentText(secretConsent)}, so it is not used.`,
    { reason: 'SecretNotAllowed' },
  );
}
