// The bearer tokens that a user gives a preview: `--token-file`, and the environment variable. A token without the name of its
// connection is used only while all connections that need one reach the same service, so that no service receives the token of
// another.
import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { readFileBytes } from '../../lib/read-bytes.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { parseBearerToken } from '../../operator/alert-client/tokens.ts';
import { parseTokens } from './login-store.ts';

export interface GivenTokens {
  /** By the key of the connection. */
  readonly named: ReadonlyMap<string, SecretText>;
  /** For the only service. */
  readonly unnamed: SecretText | undefined;
  /** Of files that `rolealerts login` wrote: by the URL of the authorization server. */
  readonly signIns: JsonObject;
}

const limitBytes = 65_536;

/** `CONNECTION=FILE`, where the connection is `namespace/name`, or `/name` for a ClusterRoleAlertConnection. */
const namedFile = /^((?:[a-z0-9][-a-z0-9]*)?\/[a-z0-9][-a-z0-9.]*)=(.+)$/;

/** Throws `UsageError` for a file that does not exist, and `LocalError` for one that cannot be used. */
export async function readTokenFiles(texts: readonly string[]): Promise<GivenTokens> {
  const named = new Map<string, SecretText>();
  let unnamed: SecretText | undefined;
  const signIns: (readonly [string, unknown])[] = [];
  for (const text of texts) {
    const [, connection, file = text] = namedFile.exec(text) ?? [];
    const content = await readSecretText(file);
    const tokens = connection === undefined ? parseTokens(content.reveal()) : undefined;
    if (tokens) {
      signIns.push(...Object.entries(tokens));
      continue;
    }
    const token = tokenOf(content, `--token-file: ${file}`);
    if (connection === undefined) unnamed = token;
    else named.set(connection, token);
  }
  return { named, unnamed, signIns: Object.fromEntries(signIns) };
}

async function readSecretText(file: string): Promise<SecretText> {
  const bytes = await readFileBytes(file, limitBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UsageError(`--token-file: ${file} does not exist.`);
    throw new LocalError(`--token-file: ${file} cannot be read: ${messageOf(error)}.`);
  });
  if (bytes.length > limitBytes) throw new LocalError(`--token-file: ${file} has more than ${limitBytes} bytes.`);
  return new SecretText(new TextDecoder().decode(bytes));
}

/** `origin`: where the text comes from. */
export function tokenOf(text: SecretText, origin: string): SecretText {
  try {
    return parseBearerToken(text);
  } catch {
    throw new LocalError(`${origin} does not hold a bearer token: one line of visible ASCII characters.`);
  }
}
