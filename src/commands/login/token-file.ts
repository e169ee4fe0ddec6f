// Stores access tokens in one file for all services, readable only by its owner. The file is replaced by a rename, so a reader
// sees either the old or the new content.
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { LocalError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { indentedJson } from '../../lib/json-shape.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import type { SecretSource } from '../../lib/secret-text.ts';
import { readTokens } from '../preview/login-store.ts';
import type { LoginToken } from './login-answer.ts';

/** Throws before the sign-in what `saveToken` would throw for a file that is not a token file. */
export async function checkTokenFile(file: string): Promise<void> {
  await readTokens(file);
}

/** Stores the token of one service and keeps those of the others. Throws `LocalError`. */
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
    await makeDirectory(dirname(file), 0o700);
    await writeFile(beside, indentedJson(content), { mode: 0o600, flag: 'wx' });
    // The umask can only remove permissions; this mode must be exact.
    await chmod(beside, 0o600);
    await rename(beside, file);
  } catch (cause) {
    await rm(beside, { force: true });
    throw new LocalError(`Cannot store the token in ${file}: ${messageOf(cause)}.`);
  }
}
