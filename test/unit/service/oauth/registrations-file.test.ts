import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { decodeRegistrations, readRegistrationsFile } from '../../../../src/service/config-files/registrations-file.ts';
import { hashNewSecret, standardCost } from '../../../../src/service/oauth/hashed-secret.ts';

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
        { id: 'page', redirectURIs: ['https://portal.example/back', 'http://127.0.0.1/callback'] },
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
      { id: 'page', redirectURIs: ['https://portal.example/back', 'http://127.0.0.1/callback'] },
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
      {
        ...cluster,
        subject: 'system:serviceaccount:team:b',
        audience: 'api://alerts',
        jwksURI: 'https://c.example/keys',
      },
    ];
    const { clients } = await decodeRegistrations({ clients: [{ id: 'a', federated }] }, '/etc/r/r.yaml', readText);
    expect(clients[0]?.federated).toEqual([
      {
        ...cluster,
        audience: 'api://alerts',
        keys: { url: 'https://10.0.0.1/openid/v1/jwks', caFile: '/etc/r/a.txt', tokenFile: '/etc/r/a.txt' },
      },
      { ...cluster, issuer: 'https://other.example', audience: 'api://alerts', keys: { file: '/etc/r/jwks.json' } },
      {
        ...cluster,
        subject: 'system:serviceaccount:team:b',
        audience: 'api://alerts',
        keys: { url: 'https://c.example/keys' },
      },
    ]);
  });

  test('that is not YAML is reported with its position, without its content', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-registrations-'));
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
    await rm(folder, { recursive: true });
  });

  test('may be none', async () => {
    expect(await decode({})).toEqual({ clients: [], users: [] });
  });

  const client = (change: object) => ({ clients: [{ id: 'c', secret: 'canary-secret', ...change }] });
  const user = (change: object) => ({ users: [{ name: 'u', password: 'canary-secret', ...change }] });
  const trust = { issuer: 'https://a.example', subject: 's', audience: 'api://a', jwksFile: 'jwks.json' };
  const trusting = (change: object, ...more: readonly object[]) => ({
    clients: [{ id: 'c', federated: [{ ...trust, ...change }, ...more] }],
  });
  test.each<[string, unknown, string]>([
    ['a trust that is no list', client({ federated: trust }), 'clients[0].federated must be a list'],
    ['no trust at all', client({ federated: [] }), 'clients[0].federated must not be empty'],
    [
      'too many trusts',
      client({ federated: Array.from({ length: 17 }, (_, index) => ({ ...trust, subject: `s${index}` })) }),
      'clients[0].federated must have at most 16 entries',
    ],
    ['a trust with another member', trusting({ keys: [] }), 'clients[0].federated[0].keys is not a known member'],
    ['a trust without an issuer', trusting({ issuer: undefined }), 'clients[0].federated[0].issuer is missing'],
    ['a trust without an audience', trusting({ audience: undefined }), 'clients[0].federated[0].audience is missing'],
    [
      'a subject with a space',
      trusting({ subject: 'a b' }),
      'clients[0].federated[0].subject must be up to 512 visible ASCII characters',
    ],
    [
      'a subject that is too long',
      trusting({ subject: 'x'.repeat(513) }),
      'clients[0].federated[0].subject must be up to 512 visible ASCII characters',
    ],
    [
      'a trust without keys',
      trusting({ jwksFile: undefined }),
      'clients[0].federated[0] must have either a jwksFile or a jwksURI',
    ],
    [
      'a trust with two sources of keys',
      trusting({ jwksURI: 'https://a.example/keys' }),
      'clients[0].federated[0] must have either a jwksFile or a jwksURI',
    ],
    [
      'keys over plain HTTP',
      trusting({ jwksFile: undefined, jwksURI: 'http://a.example/keys' }),
      'clients[0].federated[0].jwksURI must be an https URL without user and fragment',
    ],
    [
      'keys at a URL with a password',
      trusting({ jwksFile: undefined, jwksURI: 'https://a:b@a.example/keys' }),
      'clients[0].federated[0].jwksURI must be an https URL without user and fragment',
    ],
    ['a token for a file', trusting({ tokenFile: 'a.txt' }), 'clients[0].federated[0].tokenFile is for a jwksURI only'],
    [
      'a file of keys that does not exist',
      trusting({ jwksFile: 'gone.json' }),
      'clients[0].federated[0].jwksFile cannot be used: ENOENT: no gone.json',
    ],
    [
      'a file without keys',
      trusting({ jwksFile: 'a.txt' }),
      'clients[0].federated[0].jwksFile cannot be used: they are no JWKS with a public key for signatures',
    ],
    [
      'a file of private keys',
      trusting({ jwksFile: 'private.json' }),
      'clients[0].federated[0].jwksFile cannot be used: they are no JWKS with a public key for signatures',
    ],
    [
      'a file of too many keys',
      trusting({ jwksFile: 'many.json' }),
      'clients[0].federated[0].jwksFile cannot be used: there are more than 16 keys',
    ],
    [
      'an empty CA',
      trusting({ jwksFile: undefined, jwksURI: 'https://a.example/keys', caFile: 'empty.txt' }),
      'clients[0].federated[0].caFile cannot be used: it is empty',
    ],
    ['a list', [], 'it must be an object'],
    ['nothing', undefined, 'it must be an object'],
    ['another member', { client: [] }, 'client is not a known member: write clients'],
    ['clients that are no list', { clients: {} }, 'clients must be a list'],
    ['clients without a value', { clients: null }, 'clients must be a list'],
    ['a client that is a text', { clients: ['canary-secret'] }, 'clients[0] must be an object'],
    ['a client without an id', client({ id: undefined }), 'clients[0].id is missing'],
    [
      'a client with a long id',
      client({ id: 'x'.repeat(257) }),
      'clients[0].id must be up to 256 printable ASCII characters',
    ],
    [
      'a client with two secrets',
      client({ secretFile: 'a.txt' }),
      'clients[0].secretFile must not be combined with secret',
    ],
    [
      'a client with nothing',
      { clients: [{ id: 'c' }] },
      'clients[0] must have a secret, keys, federated or redirectURIs',
    ],
    ['an empty secret', client({ secret: '' }), 'clients[0].secret must be a non-empty text'],
    ['a secret that is a number', client({ secret: 5 }), 'clients[0].secret must be a non-empty text'],
    [
      'a file that is not there',
      client({ secret: undefined, secretFile: 'b' }),
      'clients[0].secretFile cannot be used: ENOENT: no b',
    ],
    [
      'a file that is empty',
      client({ secret: undefined, secretFile: 'empty.txt' }),
      'clients[0].secretFile cannot be used: it is empty',
    ],
    ['a member that is not known', client({ secrets: [] }), 'clients[0].secrets is not a known member: write secret'],
    ['keys that are no list', client({ keys: jwk }), 'clients[0].keys must be a list'],
    ['no key in the list', client({ keys: [] }), 'clients[0].keys must not be empty'],
    [
      'more keys than one assertion may try',
      client({ keys: Array.from({ length: 17 }, () => jwk) }),
      'clients[0].keys must have at most 16 entries',
    ],
    [
      'a private key',
      client({ keys: [jwk, privateKey.export({ format: 'jwk' })] }),
      'clients[0].keys[1] contains a private key (d), which the service must not know',
    ],
    [
      'a shared key',
      client({ keys: [{ kty: 'oct', k: 'canary-secret' }] }),
      'clients[0].keys[0] must have the type (kty) EC, RSA or OKP',
    ],
    ['a key off its curve', client({ keys: [{ ...jwk, y: jwk.x }] }), 'clients[0].keys[0] is not a public key'],
    [
      'a key for encryption',
      client({ keys: [{ ...jwk, use: 'enc' }] }),
      'clients[0].keys[0] is not for signatures (use)',
    ],
    ['a key that is a text', client({ keys: ['canary-secret'] }), 'clients[0].keys[0] must be an object'],
    [
      'a redirect over plain HTTP',
      client({ redirectURIs: ['https://a.example', 'http://a.example'] }),
      'clients[0].redirectURIs[1] must be https, or http on 127.0.0.1, [::1] or localhost',
    ],
    [
      'an origin with a path',
      client({ origins: ['https://app.example/'] }),
      'clients[0].origins[0] must be an origin like https://portal.example.net, in lower case and without a path',
    ],
    [
      'any origin',
      client({ origins: ['*'] }),
      'clients[0].origins[0] must be an origin like https://portal.example.net, in lower case and without a path',
    ],
    [
      'no origin',
      client({ origins: ['null'] }),
      'clients[0].origins[0] must be an origin like https://portal.example.net, in lower case and without a path',
    ],
    [
      'an origin over plain HTTP',
      client({ origins: ['http://app.example'] }),
      'clients[0].origins[0] must be https, or http on 127.0.0.1, [::1] or localhost',
    ],
    [
      'an unknown scope',
      client({ scopes: ['alerts.write'] }),
      'clients[0].scopes[0] must be one of user_impersonation, alerts.read',
    ],
    ['no scope at all', client({ scopes: [] }), 'clients[0].scopes must not be empty'],
    ['no resource scope', client({ resourceScopes: [] }), 'clients[0].resourceScopes must not be empty'],
    [
      'a resource scope with a slash in front',
      user({ resourceScopes: ['a', '/b'] }),
      'users[0].resourceScopes[1] is no scope: The scope must not start with a slash',
    ],
    [
      'a user without a password',
      user({ password: undefined }),
      'users[0] must have a password, a passwordFile or a passwordHash',
    ],
    [
      'a password and its hash',
      user({ passwordHash: hashed }),
      'users[0].passwordHash must not be combined with password',
    ],
    [
      'a hash in a file and as text',
      client({ secret: undefined, secretFile: 'a.txt', secretHash: hashed }),
      'clients[0].secretHash must not be combined with secretFile',
    ],
    [
      'a hash of another kind',
      user({ password: undefined, passwordHash: '$argon2id$canary' }),
      'users[0].passwordHash must be a hash that rolealerts serve hash prints',
    ],
    [
      'a hash that costs too much',
      user({ password: undefined, passwordHash: hashed.replace('ln=14', 'ln=20') }),
      'users[0].passwordHash has a cost out of bounds: hash it with rolealerts serve hash',
    ],
    [
      'a user with a name that controls the terminal',
      user({ name: 'a\u001b[2J' }),
      'users[0].name must be up to 256 printable characters',
    ],
    ['a user with an unknown scope', user({ scopes: 'all' }), 'users[0].scopes must be a list'],
  ])('are refused with %s', async (_, document, problem) => {
    const sentence = await decode(document).then(() => 'taken', messageOf);
    expect(sentence).toBe(`The registrations r.yaml is invalid: ${problem}.`);
    expect(sentence).not.toContain('canary');
  });

  test('are read from YAML, with files beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-registrations-'));
    await writeFile(join(folder, 'secret'), 'beside\n');
    await writeFile(join(folder, 'r.yaml'), 'clients:\n  - {id: job, secretFile: secret}\n');
    const { clients } = await readRegistrationsFile(join(folder, 'r.yaml'));
    await rm(folder, { recursive: true });
    expect(clients.map(({ id, secret }) => [id, secret?.reveal()])).toEqual([['job', 'beside']]);
  });

  test('are refused with a secret file that is not UTF-8', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-registrations-'));
    await writeFile(join(folder, 'secret'), Uint8Array.of(0x61, 0xff));
    await writeFile(join(folder, 'r.yaml'), 'clients:\n  - {id: job, secretFile: secret}\n');
    const sentence = await readRegistrationsFile(join(folder, 'r.yaml')).then(() => 'taken', messageOf);
    await rm(folder, { recursive: true });
    expect(sentence).toMatch(
      /is invalid: clients\[0\]\.secretFile cannot be used: It is not UTF-8 at line 1, column 2\.$/,
    );
  });
});
