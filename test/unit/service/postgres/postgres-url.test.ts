// The URL of --database: what it means, and the refusals, none of which repeats the password.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { decodePostgresURL, databasePlaceOf } from '../../../../src/service/postgres/postgres-url.ts';

const decode = (text: string) => decodePostgresURL(new SecretText(text));
const problemOf = (text: string) => decode(text).then(() => 'accepted', messageOf);

describe('the URL of --database', () => {
  test('names server, database, user and password, each decoded', async () => {
    const settings = await decode('postgres://ro%40le:p%2Fw%25@db.example.net:6432/alerts%20db');
    const { password, ...others } = settings;
    expect(others).toEqual({
      host: 'db.example.net',
      port: 6432,
      database: 'alerts db',
      user: 'ro@le',
      sslMode: 'verify-full',
      authorities: undefined,
      schema: undefined,
      connections: 10,
    });
    expect(password?.reveal()).toBe('p/w%');
    expect(databasePlaceOf(settings)).toBe('db.example.net:6432/alerts db');
  });

  test.each([
    ['postgresql://u@localhost/d', 'localhost', 'disable'],
    ['postgres://u@127.0.0.1/d', '127.0.0.1', 'disable'],
    ['postgres://u@[::1]/d', '::1', 'disable'],
    ['postgres://u@%2Fvar%2Frun%2Fpostgresql/d', '/var/run/postgresql', 'disable'],
    ['postgres://u@10.0.0.1/d', '10.0.0.1', 'verify-full'],
    ['postgres://u@db/d?sslmode=disable', 'db', 'disable'],
    ['postgres://u@localhost/d?sslmode=require', 'localhost', 'require'],
  ])('%s connects to %s with %s', async (text, host, sslMode) => {
    expect(await decode(text)).toMatchObject({ host, port: 5432, sslMode, password: undefined });
  });

  test('names a schema, a number of connections, and a file of CAs, which is read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rolealerts-url-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, 'the CA');
    const query = new URLSearchParams({ search_path: 'alerts_1', pool_max_conns: '25', sslrootcert: file });
    const settings = await decode(`postgres://u@db/d?${query.toString()}`);
    expect(settings).toMatchObject({ schema: 'alerts_1', connections: 25, authorities: 'the CA' });
    await rm(folder, { recursive: true });
  });

  const notURL =
    'must be a URL like postgres://USER:PASSWORD@HOST:5432/DATABASE; write #, / and ? in a password as %23, %2F and %3F.';
  test.each([
    ['mysql://u:s3cret@db/d', notURL],
    ['postgres://u:s3cret@db:port/d', notURL],
    ['postgres://u:s3#cret/s3cret@db/d', notURL],
    ['postgres://u:s3cret%@db/d', 'has an invalid percent-encoding: encode "%" as %25.'],
    ['postgres:///d', 'must name a host: postgres://USER@HOST/DATABASE.'],
    ['postgres://u:s3cret@db', 'must name a database: postgres://USER@HOST/DATABASE.'],
    ['postgres://:s3cret@db/d', 'must name a user: postgres://USER@HOST/DATABASE.'],
    [
      'postgres://u:s3cret@db/d?sslmode=prefer',
      'has an invalid sslmode; use disable, require, verify-ca, verify-full.',
    ],
    [
      'postgres://u:s3cret@db/d?options=-cs3cret',
      'has an unknown parameter; the parameters are sslmode, sslrootcert, search_path, pool_max_conns.',
    ],
    ['postgres://u:s3cret@db/d?sslmode=require&sslmode=disable', 'repeats a parameter.'],
    [
      'postgres://u:s3cret@db/d?search_path=a,b',
      'has an invalid search_path: name one schema in lower-case letters, digits and "_".',
    ],
    ['postgres://u:s3cret@db/d?pool_max_conns=1', 'has an invalid pool_max_conns: use 2 to 100.'],
    ['postgres://u:s3cret@db/d?pool_max_conns=101', 'has an invalid pool_max_conns: use 2 to 100.'],
  ])('refuses %s', async (text, problem) => {
    const message = await problemOf(text);
    expect(message).toBe(`The URL of --database ${problem}`);
    expect(message).not.toContain('s3cret');
  });

  test('refuses a file of CAs that is missing', async () => {
    const message = await problemOf('postgres://u@db/d?sslrootcert=/nowhere/ca.pem');
    expect(message).toMatch(/^Cannot read the file of sslrootcert in --database: ENOENT/);
  });
});
