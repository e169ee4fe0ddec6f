// The file in which `rolealerts login` stores access tokens for all services, by the URL of the authorization server, readable only by its owner. It
// is replaced by a rename, so a reader sees either the old or the new content.
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { LocalError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import {
  indentedJson,
  isNonEmptyString,
  isObject,
  type JsonObject,
  objectOf,
  parseJson,
  stringOf,
} from '../../lib/json-shape.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { type SecretSource, SecretText } from '../../lib/secret-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CONFIG_HOME/rolealerts/tokens.json`, or in `~/.config`. */
export function defaultTokenFile(environment: Environment, homeDirectory: string): string {
  const base = environment['XDG_CONFIG_HOME'] || join(homeDirectory, '.config');
  return join(base, 'rolealerts', 'tokens.json');
}

/** A missing file holds no tokens. Throws `LocalError` for a file with other content, so that nothing overwrites it. */
export async function readTokens(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '{}';
    throw new LocalError(`Cannot read ${file}: ${cause.message}.`);
  });
  const tokens = parseJson(text);
  if (isObject(tokens)) return tokens;
  throw new LocalError(
    `${file} is not a file that rolealerts login wrote: move it away, or sign in with another --token-file.`,
  );
}

/** The same content in a text that may as well be something else. */
export function parseTokens(text: string): JsonObject | undefined {
  const tokens = parseJson(text);
  const isStore =
    isObject(tokens) && Object.values(tokens).every((entry) => isNonEmptyString(objectOf(entry)['accessToken']));
  return isStore ? tokens : undefined;
}

/** A token that has not ended, of an authorization server at one of the origins. `nowMs`: milliseconds since 1970. */
export function storedToken(tokens: JsonObject, origins: readonly string[], nowMs: number): SecretText | undefined {
  for (const [authURL, entry] of Object.entries(tokens)) {
    const { accessToken, expiresAt } = objectOf(entry);
    const endMs = Date.parse(stringOf(expiresAt) ?? '');
    const isUsable = isNonEmptyString(accessToken) && !(endMs <= nowMs);
    if (isUsable && origins.includes(URL.parse(authURL)?.origin ?? '')) return new SecretText(accessToken);
  }
  return undefined;
}

export interface LoginToken {
  readonly token: SecretText;
  /** Undefined when the service does not state it. */
  readonly expiresAtMs: number | undefined;
  readonly scope: string;
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
