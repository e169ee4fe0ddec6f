// The token of a person on their own machine: one file for all services, readable by nobody else. Written beside and renamed, so
// that a reader finds the whole file or the one before.
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { messageOf, OperatorError } from '../../lib/errors.ts';
import type { SecretSource } from '../../lib/secret-source.ts';
import type { Environment } from '../../local/machine.ts';
import type { LoginToken } from './login-answer.ts';

/** `$XDG_CONFIG_HOME/rolealerts/tokens.json`, or in `~/.config`. */
export function defaultTokenFile(environment: Environment, homeDirectory: string): string {
  const base = environment['XDG_CONFIG_HOME'] || join(homeDirectory, '.config');
  return join(base, 'rolealerts', 'tokens.json');
}

/** Throws what `saveToken` would throw for a file that cannot be ours, before anybody signs in. */
export async function checkTokenFile(file: string): Promise<void> {
  await readTokens(file);
}

/** Keeps the token for one service; those of others stay. Throws `OperatorError` `local`. */
export async function saveToken(
  file: string,
  authURL: string,
  { token, expiresAtMs, scope }: LoginToken,
  newSecret: SecretSource,
): Promise<void> {
  const tokens = await readTokens(file);
  const expiresAt = expiresAtMs === undefined ? {} : { expiresAt: new Date(expiresAtMs).toISOString() };
  const content = { ...tokens, [authURL]: { accessToken: token.reveal(), scope, ...expiresAt } };
  const beside = `${file}.${newSecret().reveal()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(beside, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    // A umask only takes modes away; this one must be exact.
    await chmod(beside, 0o600);
    await rename(beside, file);
  } catch (cause) {
    await rm(beside, { force: true });
    throw new OperatorError('local', `The token cannot be kept in ${file}: ${messageOf(cause)}.`);
  }
}

/** A file that is not there holds no tokens; one that is none of ours is not overwritten. */
async function readTokens(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '{}';
    throw new OperatorError('local', `The file ${file} cannot be read: ${cause.message}.`);
  });
  try {
    const tokens = JSON.parse(text) as unknown;
    if (typeof tokens === 'object' && tokens !== null && !Array.isArray(tokens)) return { ...tokens };
  } catch {
    // Said below, as for every other content that is none of ours.
  }
  throw new OperatorError('local', `The file ${file} holds something else than tokens.`);
}
