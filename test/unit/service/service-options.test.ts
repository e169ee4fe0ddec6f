import { describe, expect, test } from 'vitest';

import { SecretText } from '../../../src/lib/secret-text.ts';
import { checkAdminOptions } from '../../../src/service/admin/admin-port.ts';
import { parseServiceClients, parseServiceUsers } from '../../../src/service/credential-pairs.ts';
import { decodeOptions } from '../../../src/service/decode-options.ts';
import type { AlertsServiceOptions } from '../../../src/service/service-options.ts';
import { serviceOptions } from '../../support/servers/alerts-service.ts';

const token = new SecretText('sixteen-letters-');
const trust = { issuer: 'i', subject: 's', audience: 'a', keys: { file: '/keys.json' } };
const hashed = { salt: Buffer.alloc(16), key: Buffer.alloc(32) };
/** No principal is configured. */
const open = { clients: [], listen: { host: '127.0.0.1', port: 0 } };

function decode(options: Partial<AlertsServiceOptions>) {
  const { staticToken: _, ...rest } = serviceOptions();
  return decodeOptions({ ...rest, ...options });
}

describe('options', () => {
  test.each([
    ['a page of a thousand alerts', { pageSize: 1000 }],
    ['a token lifetime of a second', { tokenLifetimeMs: 1000 }],
    ['a page of one alert', { pageSize: 1 }],
    ['a token lifetime of a day', { tokenLifetimeMs: 86_400_000 }],
    ['no audit trail', { auditRetentionMs: 0 }],
    ['an audit trail of a minute', { auditRetentionMs: 60_000 }],
    ['an audit trail of ten years', { auditRetentionMs: 3650 * 86_400_000 }],
  ])('may be %s', (_, options) => {
    expect(decode(options)).toMatchObject(options);
  });

  test.each([
    [/^The audit trail must keep records for 1m/, { auditRetentionMs: 59_999 }],
    [/^The audit trail/, { auditRetentionMs: 3650 * 86_400_000 + 1 }],
    [/^The token lifetime/, { tokenLifetimeMs: 86_400_001 }],
    [/^The audit trail must have from 1 MiB/, { auditMiB: 0 }],
    [/^The page size must be a whole number from 1 to 1000\.$/, { pageSize: 0 }],
    [/^The page size/, { pageSize: 1001 }],
    [/^The provider namespace \(--provider-namespace\) must have a form like/, { providerNamespace: 'a/b' }],
    [/^The api-version must not be empty\.$/, { apiVersion: '' }],
    [/^The public URL must be an http or https URL/, { publicURL: 'https://a/' }],
    [/^The trusted proxies must be addresses/, { trustedProxies: ['10.0.0.0/33'] }],
    [/^The requests per second must be more than 0\.$/, { requestsPerSecond: 0 }],
    [/^The token lifetime/, { tokenLifetimeMs: 999 }],
    [/^The static token may contain only/, { staticToken: new SecretText('a b') }],
    [
      /^The static token \(--static-token\) must have at least 16 characters; generate one, for example with openssl rand -hex 16\.$/,
      { staticToken: new SecretText('fifteen-letters') },
    ],
    [
      /^The user \w+ is registered twice\.$/,
      {
        users: [
          { name: 'a', password: token },
          { name: 'a', password: token },
        ],
      },
    ],
    [
      /^The issuer and subject \["i","s"\] are trusted twice\.$/,
      { clients: ['a', 'b'].map((id) => ({ id, federated: [{ ...trust, audience: id }] })) },
    ],
    [
      /^The passwordHash of the user c has another cost than the others/,
      {
        users: [
          { name: 'a', passwordHash: { ...hashed, cost: { ln: 14, r: 8, p: 5 } } },
          { name: 'b', password: token },
          { name: 'c', passwordHash: { ...hashed, cost: { ln: 15, r: 8, p: 3 } } },
        ],
      },
    ],
    [/^Set a static token, a client or a user/, { ...open, listen: { host: '', port: 0 } }],
    [/^Set a static token, .* only --print=all prints\.$/, { ...open, showsGeneratedToken: false }],
  ])('are refused: %s', (sentence, options) => {
    expect(() => decode(options)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringMatching(sentence) }),
    );
  });

  test('with a short admin token are refused, on loopback too', () => {
    expect(() => checkAdminOptions({ listen: open.listen, token: new SecretText('fifteen-letters') })).toThrow(
      'The admin token (--admin-token) must have at least 16 characters; generate one',
    );
    checkAdminOptions({ listen: open.listen, token });
  });

  test.each(['a line end at its end\n', 'a-tab\tin-the-middle', 'a-token-ending-in-\u00e9'])(
    'with an admin token that no request could send are refused: %j',
    (text) => {
      expect(() => checkAdminOptions({ listen: open.listen, token: new SecretText(text) })).toThrow(
        /^The admin token \(--admin-token\) may contain only .* no request could send it\.$/,
      );
    },
  );

  test.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])(
    'generate a static token on %s without principals',
    (host) => {
      const settings = decode({ ...open, listen: { host, port: 0 } });
      expect(settings.generatedToken?.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(settings.staticToken).toBe(settings.generatedToken);
    },
  );
});

describe('clients', () => {
  test('are ID:SECRET pairs, several to a text, the secret with colons of its own', () => {
    const long = 'sixteen-letters-';
    const clients = parseServiceClients([`a:${long}1 b:${long}:3\n`, `c:${long}4`]).map(({ id, secret }) => [
      id,
      secret?.reveal(),
    ]);
    expect(clients).toEqual([
      ['a', `${long}1`],
      ['b', `${long}:3`],
      ['c', `${long}4`],
    ]);
  });

  test.each(['a', 'a:', ':b', ':'])('are refused when written %s, without showing it', (text) => {
    expect(() => parseServiceClients([text])).toThrow(/^--client needs ID:SECRET, neither of them empty; white space/);
    expect(() => parseServiceUsers([text])).toThrow(/^--user needs NAME:PASSWORD, neither of them empty; white space/);
  });

  test('with short secrets are refused, with the option and what to do, without showing them', () => {
    expect(() => parseServiceClients(['a:fifteen-letters'])).toThrow(
      'The secret of the client a (--client) must have at least 16 characters; generate one, for example with openssl rand -hex 16.',
    );
    expect(() => parseServiceUsers(['ada:7-chars'])).toThrow(
      'The password of the user ada (--user) must have at least 8 characters.',
    );
    expect(parseServiceUsers(['ada:lovelace'])).toHaveLength(1);
  });
});
