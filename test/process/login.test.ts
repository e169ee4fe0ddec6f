// `rolealerts login` against a service on a socket, with a simulated user instead of a browser. terminal.test.ts and command-examples.test.ts
// have it as a process.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { users } from '../support/rigs/oauth-rig.ts';
import { runHere, startHere } from '../support/rigs/program.ts';
import { fillInForm, handBack } from '../support/rigs/sign-in.ts';
import { listOne, seed } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

const clients = [{ id: 'rolealerts-cli', redirectURIs: ['http://127.0.0.1/callback'] }];

let service: ServiceUnderTest;
let folder = '';
beforeEach(async () => {
  service = await startOverSocket({ seed, users, clients });
  folder = await mkdtemp(join(tmpdir(), 'rolealerts-login-'));
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const login = (...more: readonly string[]) =>
  startHere(['login', '--auth-url', service.origin, '--no-browser', ...more], {
    environment: { XDG_CONFIG_HOME: folder },
  });

async function addressOf({ written }: ReturnType<typeof login>): Promise<string> {
  await expect.poll(() => written.err).toMatch(/^ {2}http\S+$/m);
  return /^ {2}(http\S+)$/m.exec(written.err)?.[1] ?? '';
}

test('keeps the token of the user who signs in, and prints its expiry', async () => {
  const program = login();
  const address = await addressOf(program);
  expect(new URL(address).searchParams.get('response_type')).toBe('code');
  const location = await fillInForm(address);
  expect(location).not.toContain('access_token');
  expect(await handBack(location)).toBe('You are signed in. You can close this page.');
  expect(await program.ended).toBe(0);
  const file = join(folder, 'rolealerts', 'tokens.json');
  expect(program.written.err).toMatch(
    new RegExp(`Signed in to ${service.origin} until \\S+Z for user_impersonation. The token is in ${file}.\n$`),
  );
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const tokens = JSON.parse(await readFile(file, 'utf8')) as Record<string, { accessToken: string }>;
  const headers = { authorization: `Bearer ${tokens[service.origin]?.accessToken}` };
  expect((await sendOverSocket(service.origin, { target: listOne, headers })).status).toBe(200);
  expect(program.written.out + program.written.err).not.toContain(tokens[service.origin]?.accessToken);
});

test('gives the browser a file of its own, and keeps the state out of the process list', async () => {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf '%s' "$1" > '${folder}/opened.tmp'; mv '${folder}/opened.tmp' '${folder}/opened'\n`,
    {
      mode: 0o755,
    },
  );
  const environment = { XDG_CONFIG_HOME: folder, TMPDIR: folder, PATH: `${bin}:${process.env['PATH']}` };
  const program = startHere(['login', '--auth-url', service.origin], { environment });
  const address = await addressOf(program);
  await expect.poll(() => readFile(join(folder, 'opened'), 'utf8').catch(() => '')).not.toBe('');
  const opened = new URL(await readFile(join(folder, 'opened'), 'utf8'));
  expect([opened.protocol, opened.search]).toEqual(['file:', '']);
  expect((await stat(opened)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(fileURLToPath(opened)))).mode & 0o777).toBe(0o700);
  const [, href = ''] = /href="([^"]*)"/.exec(await readFile(opened, 'utf8')) ?? [];
  expect(href.replaceAll('&amp;', '&')).toBe(address);
  await handBack(await fillInForm(address));
  expect(await program.ended).toBe(0);
  await expect(stat(opened)).rejects.toThrow('ENOENT');
});

test('prints the token and keeps nothing when asked to', async () => {
  const program = login('--print-token', '--scope', 'alerts.read');
  await handBack(await fillInForm(await addressOf(program)));
  expect(await program.ended).toBe(0);
  const headers = { authorization: `Bearer ${program.written.out.trim()}` };
  expect((await sendOverSocket(service.origin, { target: listOne, headers })).status).toBe(200);
  await expect(stat(join(folder, 'rolealerts'))).rejects.toThrow('ENOENT');
});

test('refuses a file that is not a token file before the sign-in', async () => {
  const file = join(folder, 'other.json');
  await writeFile(file, '["not tokens"]');
  const program = login('--token-file', file);
  expect(await program.ended).toBe(1);
  expect(program.written.err).toBe(
    `rolealerts: ${file} is not a file that rolealerts login wrote: move it away, or sign in with another --token-file.\n`,
  );
  const both = login('--token-file', file, '--print-token');
  expect([await both.ended, both.written.err.includes('Use either --print-token or --token-file')]).toEqual([64, true]);
});

test('says what the service refused', async () => {
  const program = login();
  await handBack(await fillInForm(await addressOf(program), { decision: 'deny' }));
  expect(await program.ended).toBe(1);
  expect(program.written.err).toContain(
    'rolealerts: The service refused (access_denied): The user cancelled the sign-in.',
  );
});

test('takes nothing from elsewhere, and continues waiting', async () => {
  const program = login();
  const location = await fillInForm(await addressOf(program));
  const foreign = location.replace(/state=[^&]*/, 'state=guessed');
  expect(await handBack(foreign)).toContain('does not belong to the current sign-in');
  expect(await handBack(location, { origin: 'https://evil.example' })).toBe('This origin is not allowed.');
  const page = await sendOverSocket(new URL(location).origin, {
    target: '/callback',
    headers: { host: 'evil.example' },
  });
  expect(page.status).toBe(404);
  expect(await handBack(location)).toBe('You are signed in. You can close this page.');
  expect(await program.ended).toBe(0);
});

test('stops on request, and when no user signs in', async () => {
  const stopped = login();
  await addressOf(stopped);
  stopped.stop();
  expect(await stopped.ended).toBe(1);
  const late = login('--timeout', '1s');
  expect(await late.ended).toBe(1);
  expect(late.written.err).toContain('rolealerts: The sign-in timed out.');
});

test.each([
  ['an address', [], '--auth-url is required'],
  [
    'one that is not plain HTTP to another machine',
    ['--auth-url', 'http://alerts.example'],
    '--auth-url needs an https URL',
  ],
  ['one that is a URL', ['--auth-url', 'alerts'], '--auth-url needs an https URL'],
])('needs %s', async (_, args, sentence) => {
  const { code, stderr } = await runHere(['login', ...args]);
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(sentence) });
});
