// Where the credential of a connection comes from.
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { credentialFor, type CredentialPlaces } from '../../../../src/commands/preview/credentials.ts';
import { readTokenFiles } from '../../../../src/commands/preview/token-files.ts';
import { isCoded } from '../../../../src/lib/errors.ts';
import type { JsonObject } from '../../../../src/lib/json-shape.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import type { AnyConnection } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection, federatedAuth, nowMs } from '../../../support/builders/objects.ts';

const secret = (token: string, labels = { 'rolealerts.dev/credential': 'true' }) => ({
  metadata: { labels },
  data: { token: Buffer.from(token).toString('base64') },
});
const none = { named: new Map(), unnamed: undefined, signIns: {} };

interface Given extends Partial<Pick<CredentialPlaces, 'secrets' | 'tokenFiles'>> {
  readonly environmentToken?: SecretText;
  readonly loginTokens?: JsonObject;
}

const places = ({ environmentToken, loginTokens = {}, ...change }: Given = {}): CredentialPlaces => ({
  secrets: new Map(),
  tokenFiles: none,
  readEnvironmentToken: () => environmentToken,
  readLoginTokens: async () => loginTokens,
  loginFile: '/home/me/.config/rolealerts/tokens.json',
  clusterNamespace: 'rolealerts-system',
  ...change,
});
const signedIn = (url: string, expiresAt = '2099-01-01T00:00:00Z') => ({
  [url]: { accessToken: 'from-login', scope: 'x', expiresAt },
});

const tokenOf = async (where: Given, of: AnyConnection = connection(), all = [of]) =>
  (await credentialFor(of, all, places(where), nowMs)).value.reveal();

async function refusalOf(where: Given, of: AnyConnection = connection(), all = [of]): Promise<string> {
  try {
    return `found ${await tokenOf(where, of, all)}`;
  } catch (error) {
    return isCoded(error) ? `${error.message}\n${error.detail ?? ''}` : String(error);
  }
}

describe('the credential of a connection', () => {
  const everywhere = {
    secrets: new Map([['team/credentials', secret('from-secret')]]),
    tokenFiles: { ...none, unnamed: new SecretText('from-file') },
    environmentToken: new SecretText('from-environment'),
    loginTokens: signedIn('https://service.example/oauth'),
  };

  test('comes from a Secret of the files, then --token-file, then the environment, then the sign-in', async () => {
    expect(await tokenOf(everywhere)).toBe('from-secret');
    expect(await tokenOf({ ...everywhere, secrets: new Map() })).toBe('from-file');
    expect(await tokenOf({ ...everywhere, secrets: new Map(), tokenFiles: none })).toBe('from-environment');
    expect(await tokenOf({ loginTokens: everywhere.loginTokens })).toBe('from-login');
  });

  test('says where a token is that comes from no Secret', async () => {
    const placeOf = async (where: Given) => {
      const { tokenPlace } = await credentialFor(connection(), [connection()], places(where), nowMs);
      return tokenPlace && `${tokenPlace.name}: ${tokenPlace.renewal}`;
    };
    expect(await placeOf(everywhere)).toBeUndefined();
    expect(await placeOf({ tokenFiles: everywhere.tokenFiles })).toMatch(/^--token-file: /);
    expect(await placeOf({ environmentToken: everywhere.environmentToken })).toMatch(/^ROLEALERTS_TOKEN: /);
    expect(await placeOf({ loginTokens: everywhere.loginTokens })).toBe(
      'the sign-in in /home/me/.config/rolealerts/tokens.json: Sign in again with: rolealerts login --auth-url https://service.example',
    );
  });

  test('comes from the namespace of the Secrets of every ClusterRoleAlertConnection', async () => {
    const secrets = new Map([['rolealerts-system/credentials', secret('from-secret')]]);
    expect(await tokenOf({ secrets }, clusterConnection())).toBe('from-secret');
  });

  test('is a client secret only in a Secret', async () => {
    const clientCredentials = {
      tokenURL: 'https://login.example/token',
      clientID: 'operator',
      clientSecretRef: { name: 'credentials', key: 'token' },
    };
    const of = connection({ auth: { clientCredentials } });
    const kindOf = async (where: Given) => (await credentialFor(of, [of], places(where), nowMs)).authentication.kind;
    expect(await kindOf(everywhere)).toBe('ClientCredentials');
    expect(await kindOf({ environmentToken: new SecretText('t') })).toBe('BearerToken');
    expect(await kindOf({ loginTokens: signedIn('https://login.example') })).toBe('BearerToken');
  });

  test('is refused without the label that the operator requires as well', async () => {
    const secrets = new Map([['team/credentials', { ...secret('x'), metadata: {} }]]);
    expect(await refusalOf({ secrets })).toContain('does not carry the label rolealerts.dev/credential: "true"');
  });

  test('is not a sign-in that has ended or belongs to another service', async () => {
    expect(await refusalOf({ loginTokens: signedIn('https://service.example', '2020-01-01T00:00:00Z') })).toContain(
      'has no credential',
    );
    expect(await refusalOf({ loginTokens: signedIn('https://other.example') })).toContain('has no credential');
  });

  test('that is in none of the four places fails with all of them and the fix', async () => {
    expect(await refusalOf({})).toBe(`Connection team/prod has no credential here.
Searched:
  Secret team/credentials in the files of --filename
  --token-file
  the environment variable ROLEALERTS_TOKEN
  a sign-in to https://service.example in /home/me/.config/rolealerts/tokens.json
Pass --token-file team/prod=FILE, or sign in with: rolealerts login --auth-url https://service.example`);
  });

  test('of a ServiceAccount is never a Secret', async () => {
    const of = connection({ auth: federatedAuth });
    expect(await refusalOf({ secrets: everywhere.secrets }, of)).toContain('whose token only the cluster issues');
    expect(await tokenOf({ tokenFiles: everywhere.tokenFiles }, of)).toBe('from-file');
  });
});

describe('a token without the name of a connection', () => {
  const elsewhere = (): AnyConnection => {
    const { endpoint } = connection().spec;
    const other = connection({ endpoint: { ...endpoint, baseURL: 'https://attacker.example' } });
    return { ...other, metadata: { ...other.metadata, name: 'other' } };
  };

  test('is not sent while the connections reach several services', async () => {
    const where = { environmentToken: new SecretText('t') };
    expect(await refusalOf(where, connection(), [connection(), elsewhere()])).toBe(
      'ROLEALERTS_TOKEN has one token, and the connections reach 2 services: give each connection its own with --token-file CONNECTION=FILE, for example --token-file team/prod=FILE.\n',
    );
  });

  test('is sent to the only service that no other credential is for', async () => {
    const named = new Map([['team/other', new SecretText('theirs')]]);
    const where = { tokenFiles: { signIns: {}, named, unnamed: new SecretText('ours') } };
    expect(await tokenOf(where, connection(), [connection(), elsewhere()])).toBe('ours');
    expect(await tokenOf(where, elsewhere(), [connection(), elsewhere()])).toBe('theirs');
  });
});

describe('--token-file', () => {
  test('has a token for all connections, or after the name of one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-'));
    const file = join(folder, 'token');
    await writeFile(file, 'abc\n');
    const { named, unnamed } = await readTokenFiles([file, `team/prod=${file}`, `/prod=${file}`]);
    expect(unnamed?.reveal()).toBe('abc');
    expect([...named].map(([key, token]) => [key, token.reveal()])).toEqual([
      ['team/prod', 'abc'],
      ['/prod', 'abc'],
    ]);
  });

  test('may name the file of login, which has a token for each service', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'rolealerts-')), 'tokens.json');
    await writeFile(file, JSON.stringify(signedIn('https://service.example/oauth'), undefined, 2));
    const where = { tokenFiles: await readTokenFiles([file]), environmentToken: new SecretText('from-environment') };
    expect(await tokenOf(where)).toBe('from-login');
    expect(await tokenOf({ tokenFiles: await readTokenFiles([file]) })).toBe('from-login');
    await writeFile(file, '{"access_token": "x"}');
    await expect(readTokenFiles([file])).rejects.toThrow('does not hold a bearer token');
  });
});

test.skipIf(!existsSync('/dev/zero'))('a file without an end is refused', async () => {
  await expect(readTokenFiles(['/dev/zero'])).rejects.toThrow('--token-file: /dev/zero has more than 65536 bytes.');
});

test('a file that does not exist is wrong usage', async () => {
  await expect(readTokenFiles(['/nowhere/token'])).rejects.toMatchObject({ code: 'usage' });
});
