// The URL of --database: what it means, and the refusals, none of which repeats the password.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { messageOf } from '../../../../src/lib/errors.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { decodePostgresURL, databasePlaceOf } from '../../../../src/service/postgres/postgres-url.ts';
import { newFolder } from '../../../support/rigs/new-folder.ts';

const decode = (text: string) => decodePostgresURL(new SecretText(text));
const problemOf = (text: string) => {
  try {
    decode(text);
    return 'accepted';
  } catch (error) {
    return messageOf(error);
  }
};

describe('the URL of --database', () => {
  test('names server, database, user and password, each decoded', () => {
    const settings = decode('postgres://ro%40le:p%2Fw%25@db.example.net:6432/alerts%20db');
    const { password, ...others } = settings;
    expect(others).toEqual({
      host: 'db.example.net',
      port: 6432,
      database: 'alerts db',
      user: 'ro@le',
      tls: {},
      schema: undefined,
      connections: 10,
    });
    expect(password?.reveal()).toBe('p/w%');
    expect(databasePlaceOf(settings)).toBe('db.example.net:6432/alerts db');
  });

  test.each([
    ['postgres://u@127.0.0.1/d', '127.0.0.1', undefined],
    ['postgres://u@[::1]/d', '::1', undefined],
    ['postgres://u@%2Fvar%2Frun%2Fpostgresql/d', '/var/run/postgresql', undefined],
    ['postgres://u@db/d?sslmode=disable', 'db', undefined],
    ['postgres://u@localhost/d?sslmode=require', 'localhost', { rejectUnauthorized: false }],
  ])('%s connects to %s with the TLS options %j', (text, host, tls) => {
    const { password, ...settings } = decode(text);
    expect([settings.host, settings.port, settings.tls, password]).toEqual([host, 5432, tls, undefined]);
  });

  test('names a schema, a number of connections, and a file of CAs, which is read', async () => {
    const folder = await newFolder();
    const file = join(folder, 'ca.pem');
    await writeFile(file, 'the CA');
    const query = new URLSearchParams({ search_path: 'alerts_1', pool_max_conns: '25', sslrootcert: file });
    const settings = decode(`postgres://u@db/d?${query.toString()}`);
    expect(settings).toMatchObject({ schema: 'alerts_1', connections: 25, tls: { ca: 'the CA' } });
    expect(decode(`postgres://u@db/d?sslmode=verify-ca&${query.toString()}`).tls).toEqual({
      ca: 'the CA',
      checkServerIdentity: expect.any(Function) as unknown,
    });
  });

  const notURL = 'must be like postgres://USER:PASSWORD@HOST:5432/DATABASE.';
  const invalid = 'cannot be used: Invalid URL; write #, / and ? in a password as %23, %2F and %3F.';
  test.each([
    ['mysql://u:s3cret@db/d', notURL],
    ['postgres://u:s3#cret/s3cret@db/d', invalid],
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
    [
      'postgres://u:s3cret@db/d?search_path=a,b',
      'has an invalid search_path: name one schema in lower-case letters, digits and "_".',
    ],
    ['postgres://u:s3cret@db/d?pool_max_conns=101', 'has an invalid pool_max_conns: use 2 to 100.'],
  ])('refuses %s', (text, problem) => {
    const message = problemOf(text);
    expect(message).toBe(`The URL of --database ${problem}`);
    expect(message).not.toContain('s3cret');
  });

  test('refuses a file of CAs that is missing, and verify-ca without one', () => {
    const missing = problemOf('postgres://u@db/d?sslrootcert=/nowhere/ca.pem');
    expect(missing).toMatch(/^The URL of --database cannot be used: ENOENT.*\/nowhere\/ca\.pem/);
    expect(problemOf('postgres://u@db/d?sslmode=verify-ca')).toMatch(/requires specifying a CA with sslrootcert/);
  });
});
