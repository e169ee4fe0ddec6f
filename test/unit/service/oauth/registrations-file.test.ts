import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { decodeRegistrations, readRegistrationsFile } from '../../../../src/service/config-files/registrations-file.ts';
import { hashNewSecret, standardCost } from '../../../../src/service/oauth/hashed-secret.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwk = publicKey.export({ format: 'jwk' });
const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
const hashed = await hashNewSecret('x');
const files: Readonly<Record<string, string>> = {
  'a.txt': 'from a file\r\n',
  'empty.txt': '\n',
  'jwks.json': JSON.stringify({ keys: [jwk] }),
  'private.json': JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }),
  'many.json': JSON.stringify({ keys: Array.from({ length: 17 }, () => jwk) }),
};

async function readText(path: string): Promise<string> {
  const text = files[path];
  if (text === undefined) throw new Error(`ENOENT: no ${path}`);
  return text;
}

const decode = (document: unknown) => decodeRegistrations(document, 'r.yaml', readText);

describe('registrations', () => {
  test('take public keys of every type that can sign', async () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
    const keys = [jwk, ed, rsa];
    expect((await decode({ clients: [{ id: 'a', keys }] })).clients[0]?.keys).toEqual(keys);
  });

  test('take a hash in place of a password or a secret', async () => {
    const { clients, users } = await decode({
      clients: [{ id: 'a', secretHash: hashed }],
      users: [{ name: 'b', passwordHash: hashed }],
    });
    expect([clients[0]?.secretHash?.cost, users[0]?.passwordHash?.cost]).toEqual([standardCost, standardCost]);
  });

  test('are clients with all that they may have, and users', async () => {
    const { clients, users } = await decode({
      clients: [
        { id: 'job', secret: 's3cret', scopes: ['alerts.read'] },
        { id: 'operator', secretFile: 'a.txt', keys: [{ ...jwk, kid: 'one', use: 'sig' }, ed] },
        {
          id: 'app',
          redirectURIs: ['https://portal.example/'],
          origins: ['https://app.example', 'http://localhost:3000'],
        },
      ],
      users: [
        { name: 'ada', password: 'enchantress' },
        { name: 'bob', passwordFile: 'a.txt', scopes: ['alerts.read', 'user_impersonation'] },
        { name: 'eve', password: 'e', resourceScopes: ['subscriptions/one', 'clusters'] },
      ],
    });
    const shown = clients.map(({ secret, ...rest }) => ({ ...rest, secret: secret?.reveal() }));
    expect(shown).toEqual([
      { id: 'job', secret: 's3cret', scopes: ['alerts.read'] },
      { id: 'operator', secret: 'from a file', keys: [{ ...jwk, kid: 'one', use: 'sig' }, ed] },
      {
        id: 'app',
        redirectURIs: ['https://portal.example/'],
        origins: ['https://app.example', 'http://localhost:3000'],
      },
    ]);
    expect(users.map(({ password, ...rest }) => ({ ...rest, password: password?.reveal() }))).toEqual([
      { name: 'ada', password: 'enchantress' },
      { name: 'bob', password: 'from a file', scopes: ['alerts.read', 'user_impersonation'] },
      { name: 'eve', password: 'e', resourceScopes: ['subscriptions/one', 'clusters'] },
    ]);
  });

  test('are clients that trust a subject of another issuer, with paths relative to the file', async () => {
    const cluster = { issuer: 'https://kubernetes.default.svc', subject: 'system:serviceaccount:team:alerts' };
    const federated = [
      {
        ...cluster,
        audience: 'api://alerts',
        jwksURI: 'https://10.0.0.1/openid/v1/jwks',
        caFile: 'a.txt',
        tokenFile: 'a.txt',
      },
      { ...cluster, issuer: 'https://other.example', audience: 'api://alerts', jwksFile: 'jwks.json' },
    ];
    const { clients } = await decodeRegistrations({ clients: [{ id: 'a', federated }] }, '/etc/r/r.yaml', readText);
    expect(clients[0]?.federated).toEqual([
      {
        ...cluster,
        audience: 'api://alerts',
        keys: { url: 'https://10.0.0.1/openid/v1/jwks', caFile: '/etc/r/a.txt', tokenFile: '/etc/r/a.txt' },
      },
      { ...cluster, issuer: 'https://other.example', audience: 'api://alerts', keys: { file: '/etc/r/jwks.json' } },
    ]);
  });

  test('that is not YAML is reported with its position, without its content', async () => {
    const folder = await newFolder();
    const file = join(folder, 'r.yaml');
    await writeFile(file, 'users:\n  - name: ada\n    password: *canary\n');
    const refused = expect.objectContaining({
      code: 'usage',
      message: `The registrations ${file} is neither JSON nor YAML: it cannot be read.`,
    });
    await expect(readRegistrationsFile(file)).rejects.toEqual(refused);
    await writeFile(file, 'users: {canary');
    await expect(readRegistrationsFile(file)).rejects.toThrow(/YAML: .* at line 1, column \d+\.$/);
    await expect(readRegistrationsFile(file)).rejects.not.toThrow(/canary/);
  });

  const client = (change: object) => ({ clients: [{ id: 'c', secret: 'canary-secret', ...change }] });
  const user = (change: object) => ({ users: [{ name: 'u', password: 'canary-secret', ...change }] });
  const trust = { issuer: 'https://a.example', subject: 's', audience: 'api://a', jwksFile: 'jwks.json' };
  const outcomeOf = (document: unknown) => decode(document).then(() => 'taken', messageOf);
  test.each<[string, unknown]>([
    [
      'clients[0].federated must have at most 16 entries',
      client({ federated: Array.from({ length: 17 }, (_, index) => ({ ...trust, subject: `s${index}` })) }),
    ],
    ['clients[0].id must be up to 256 printable ASCII characters', client({ id: 'x'.repeat(257) })],
    ['clients[0].secretFile must not be combined with secret', client({ secretFile: 'a.txt' })],
    ['clients[0] must have a secret, keys, federated or redirectURIs', { clients: [{ id: 'c' }] }],
    ['clients[0].secretFile cannot be used: ENOENT: no b', client({ secret: undefined, secretFile: 'b' })],
    ['clients[0].secretFile cannot be used: it is empty', client({ secret: undefined, secretFile: 'empty.txt' })],
    ['clients[0].keys must have at most 16 entries', client({ keys: Array.from({ length: 17 }, () => jwk) })],
    [
      'clients[0].keys[1] contains a private key (d), which the service must not know',
      client({ keys: [jwk, privateKey.export({ format: 'jwk' })] }),
    ],
    [
      'clients[0].keys[0] must have the type (kty) EC, RSA or OKP',
      client({ keys: [{ kty: 'oct', k: 'canary-secret' }] }),
    ],
    ['clients[0].keys[0] is not a public key', client({ keys: [{ ...jwk, y: jwk.x }] })],
    ['clients[0].keys[0] is not for signatures (use)', client({ keys: [{ ...jwk, use: 'enc' }] })],
    [
      'clients[0].redirectURIs[1] must be https, or http on 127.0.0.1, [::1] or localhost',
      client({ redirectURIs: ['https://a.example', 'http://a.example'] }),
    ],
    [
      'clients[0].origins[0] must be an origin like https://portal.example.net, in lower case and without a path',
      client({ origins: ['https://app.example/'] }),
    ],
    [
      'clients[0].origins[0] must be https, or http on 127.0.0.1, [::1] or localhost',
      client({ origins: ['http://app.example'] }),
    ],
    ['clients[0].scopes[0] must be one of user_impersonation, alerts.read', client({ scopes: ['alerts.write'] })],
    ['clients[0].scopes must not be empty', client({ scopes: [] })],
    ['clients[0].federated must not be empty', client({ federated: [] })],
    ['clients[0].keys must not be empty', client({ keys: [] })],
    ['clients[0].resourceScopes must not be empty', client({ resourceScopes: [] })],
    [
      'users[0].resourceScopes[1] is no scope: The scope must not start with a slash',
      user({ resourceScopes: ['a', '/b'] }),
    ],
    ['users[0] must have a password, a passwordFile or a passwordHash', user({ password: undefined })],
    ['users[0].passwordHash must not be combined with password', user({ passwordHash: hashed })],
    [
      'users[0].passwordHash must be a hash that rolealerts serve hash prints',
      user({ password: undefined, passwordHash: '$argon2id$canary' }),
    ],
    ['users[0].name must be up to 256 printable characters', user({ name: 'a\u001b[2J' })],
  ])('are refused: %s', async (problem, document) => {
    const sentence = await outcomeOf(document);
    expect(sentence).toBe(`The registrations r.yaml is invalid: ${problem}.`);
    expect(sentence).not.toContain('canary');
  });

  const url = 'https://a.example/keys';
  test.each<[string, object]>([
    ['.subject must be up to 512 visible ASCII characters', { subject: 'x'.repeat(513) }],
    [' must have either a jwksFile or a jwksURI', { jwksFile: undefined }],
    [
      '.jwksURI must be an https URL without user and fragment',
      { jwksFile: undefined, jwksURI: 'https://a:b@a.example/keys' },
    ],
    ['.tokenFile is for a jwksURI only', { tokenFile: 'a.txt' }],
    ['.jwksFile cannot be used: they are no JWKS with a public key for signatures', { jwksFile: 'private.json' }],
    ['.jwksFile cannot be used: there are more than 16 keys', { jwksFile: 'many.json' }],
    ['.caFile cannot be used: it is empty', { jwksFile: undefined, jwksURI: url, caFile: 'empty.txt' }],
  ])('are refused with a trust: clients[0].federated[0]%s', async (problem, change) => {
    const document = { clients: [{ id: 'c', federated: [{ ...trust, ...change }] }] };
    expect(await outcomeOf(document)).toBe(`The registrations r.yaml is invalid: clients[0].federated[0]${problem}.`);
  });

  test('are refused with a secret file that is not UTF-8', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'secret'), Uint8Array.of(0x61, 0xff));
    await writeFile(join(folder, 'r.yaml'), 'clients:\n  - {id: job, secretFile: secret}\n');
    const sentence = await readRegistrationsFile(join(folder, 'r.yaml')).then(() => 'taken', messageOf);
    expect(sentence).toMatch(
      /is invalid: clients\[0\]\.secretFile cannot be used: It is not UTF-8 at line 1, column 2\.$/,
    );
  });
});
