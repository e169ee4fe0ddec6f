// The file in which `rolealerts login` stores access tokens, by the URL of the authorization server.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError } from '../../lib/command-errors.ts';
import { isNonEmptyString, isObject, type JsonObject, objectOf, parseJson, stringOf } from '../../lib/json-shape.ts';
import { SecretText } from '../../lib/secret-text.ts';

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
