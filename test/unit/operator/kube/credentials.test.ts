// Which Secrets and ConfigMaps the operator accepts.
import { describe, expect, it } from 'vitest';

import { type CodedError, isCoded } from '../../../../src/lib/errors.ts';
import { createCredentialReader } from '../../../../src/operator/kube/credentials.ts';
import { errorOfStatus } from '../../../../src/operator/kube/kube-error.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';

const canary = 'canary-value';
const labels = { 'rolealerts.dev/credential': 'true' };
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

/** A reader for which the API server has this one object, or refuses with this status. */
function readerOf(answer: object | number) {
  const transport: Pick<KubeTransport, 'request'> = {
    request: async <T>() => {
      if (typeof answer === 'number') throw errorOfStatus({ code: answer });
      return answer as T;
    },
  };
  return createCredentialReader(transport as KubeTransport);
}

async function errorFromResponse(call: Promise<unknown>): Promise<CodedError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!isCoded(error)) throw new Error('nothing was refused');
  expect(JSON.stringify([error.message, error.detail, error.stack])).not.toContain(canary);
  return error;
}

describe('a value of a Secret', () => {
  const accepted: [string, string | Buffer, string][] = [
    ['is taken as it is', canary, canary],
    ['loses the line feed that echo leaves', `${canary}\n`, canary],
    ['keeps spaces and lines inside', ' a\nb ', ' a\nb '],
    ['may be any text', 'Grüße', 'Grüße'],
  ];
  it.each(accepted)('%s', async (_name, stored, expected) => {
    const value = await readerOf({ metadata: { labels }, data: { key: base64(stored) } }).readSecretValue(
      'team',
      'a',
      'key',
    );
    expect(value.reveal()).toBe(expected);
    expect(String(value)).toBe('[redacted]');
  });

  const refused: [string, object | number, string, string][] = [
    ['no Secret', 404, 'credential-missing', 'SecretNotFound'],
    ['no permission', 403, 'credential-not-allowed', ''],
    ['no label', { metadata: {}, data: { key: base64(canary) } }, 'credential-not-allowed', 'SecretNotAllowed'],
    ['another key', { metadata: { labels }, data: { other: base64(canary) } }, 'credential-missing', 'SecretNotFound'],
    ['no data at all', { metadata: { labels } }, 'credential-missing', 'SecretNotFound'],
    ['an empty value', { metadata: { labels }, data: { key: '' } }, 'credential-missing', 'SecretInvalid'],
    [
      'a value that is not base64',
      { metadata: { labels }, data: { key: `${canary}!` } },
      'credential-missing',
      'SecretInvalid',
    ],
    [
      'bytes that are not text',
      { metadata: { labels }, data: { key: base64(Buffer.from([0xff, 0xfe])) } },
      'credential-missing',
      'SecretInvalid',
    ],
  ];
  it.each(refused)('is refused for %s', async (_name, answer, code, reason) => {
    const error = await errorFromResponse(readerOf(answer).readSecretValue('team', 'a', 'key'));
    expect([error.code, error.reason ?? '']).toEqual([code, reason]);
  });
});

describe('a value of a ConfigMap', () => {
  it('needs no label', async () => {
    await expect(readerOf({ data: { 'ca.crt': 'PEM' } }).readConfigMapValue('team', 'a', 'ca.crt')).resolves.toBe(
      'PEM',
    );
  });

  it.each([
    ['no ConfigMap', 404],
    ['another key', { data: { other: 'x' } }],
    ['an empty value', { data: { key: ' ' } }],
    ['binary data', { binaryData: { key: 'eA==' } }],
  ])('is refused for %s', async (_name, answer) => {
    const error = await errorFromResponse(readerOf(answer).readConfigMapValue('team', 'a', 'key'));
    expect([error.code, error.reason]).toEqual(['credential-missing', 'ConfigMapNotFound']);
  });
});
