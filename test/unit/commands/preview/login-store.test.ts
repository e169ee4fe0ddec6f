import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { defaultTokenFile, saveToken } from '../../../../src/commands/preview/login-store.ts';
import { SecretText, systemSecrets } from '../../../../src/lib/secret-text.ts';

let folder = '';
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'rolealerts-login-'))));
afterEach(() => rm(folder, { recursive: true }));

const login = { token: new SecretText('t'), expiresAtMs: 0, scope: 'user_impersonation' };
const save = (file: string, url = 'https://a.example') => saveToken(file, url, login, systemSecrets);

test('is made with its folder, for its owner only, also where others could read the one before', async () => {
  const file = join(folder, 'new', 'tokens.json');
  await save(file);
  expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await writeFile(join(folder, 'open.json'), '{}', { mode: 0o644 });
  await save(join(folder, 'open.json'));
  expect((await stat(join(folder, 'open.json'))).mode & 0o777).toBe(0o600);
});

test('holds one token for each service', async () => {
  const file = join(folder, 'tokens.json');
  await save(file);
  await save(file, 'https://b.example');
  await save(file);
  const kept = { accessToken: 't', scope: 'user_impersonation', expiresAt: '1970-01-01T00:00:00.000Z' };
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ 'https://a.example': kept, 'https://b.example': kept });
  expect(await readdir(folder)).toEqual(['tokens.json']);
});

test.each(['no json', '[]', 'null', '3'])('that holds %s is left as it is', async (text) => {
  const file = join(folder, 'tokens.json');
  await writeFile(file, text);
  await expect(save(file)).rejects.toMatchObject({
    code: 'local',
    message: expect.stringContaining('is not a file that rolealerts login wrote'),
  });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('that cannot be written is said, and leaves nothing beside', async () => {
  const file = join(folder, 'tokens.json', 'x');
  await writeFile(join(folder, 'tokens.json'), '{}');
  await expect(save(file)).rejects.toMatchObject({ code: 'local' });
  expect(await readdir(folder)).toEqual(['tokens.json']);
});

test('is where other programs keep such things', () => {
  expect(defaultTokenFile({}, '/home/ada')).toBe('/home/ada/.config/rolealerts/tokens.json');
  expect(defaultTokenFile({ XDG_CONFIG_HOME: '/x' }, '/home/ada')).toBe('/x/rolealerts/tokens.json');
});
