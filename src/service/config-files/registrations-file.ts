// Parses the file of `--registrations`: clients with secrets, keys and redirect URIs, and the users who may sign in. It checks
// the whole file first. Every problem names its path, and none repeats a secret.
import { createPublicKey } from 'node:crypto';
import { dirname, resolve } from 'node:path';

import type { JWK } from 'jose';

import { cleanText, trimEndOf } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { readWholeFile } from '../../lib/read-bytes.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { scopeProblem } from '../http/resource-path.ts';
import { redirectURIProblem } from '../oauth/authorize/redirect-uri.ts';
import { parseHashedSecret } from '../oauth/hashed-secret.ts';
import { originProblem } from '../oauth/origins.ts';
import type { Registered, ServiceClient, ServiceUser } from '../oauth/registrations.ts';
import { oauthScopes } from '../oauth/scopes.ts';
import { keysLimit } from '../oauth/token/assertion-keys.ts';
import { resolveTrusts, trusts, type NamedFiles } from './federated-members.ts';
import { discreetReason, readDocument, refuseProblems } from './read.ts';
import {
  anyObject,
  check,
  checked,
  list,
  object,
  oneOf,
  refine,
  requireShape,
  text,
  type MeaningOf,
  type Note,
} from './shape.ts';
import { decodeUTF8 } from './utf8.ts';

/** Reads the text of a file; rejects on failure. */
type ReadText = (path: string) => Promise<string>;

/** Paths in the file are relative to it. Throws `UsageError`. */
export async function readRegistrationsFile(file: string): Promise<Registered> {
  const readText = async (path: string) => decodeUTF8(await readWholeFile(resolve(dirname(file), path)), 'It');
  return decodeRegistrations(await readDocument('registrations', file, discreetReason), file, readText);
}

/** `source` names the document in error messages. Throws `UsageError`. */
export async function decodeRegistrations(document: unknown, source: string, readText: ReadText): Promise<Registered> {
  const given = requireShape('registrations', source, check(document, registrations));
  const problems: string[] = [];
  const files: NamedFiles = { folder: dirname(source), read: createRead(readText, problems) };
  const clients: ServiceClient[] = [];
  for (const [index, each] of (given.clients ?? []).entries())
    clients.push(await resolveClient(each, `clients[${index}]`, files));
  const users: ServiceUser[] = [];
  for (const [index, each] of (given.users ?? []).entries())
    users.push(await resolveUser(each, `users[${index}]`, files));
  refuseProblems('registrations', source, problems);
  return { clients, users };
}

const secretText = refine(text, (value) => new SecretText(value));

const hash = refine(text, (value, note) => {
  const hashed = parseHashedSecret(value);
  if (!('problem' in hashed)) return hashed;
  note(hashed.problem);
  return undefined;
});

/** Written like a scope in section 2.2. An empty list would be a client that can do nothing, and is more likely a mistake. */
const resourceScope = checked(text, (value) => {
  const problem = scopeProblem(value);
  return problem === undefined ? undefined : `is no scope: ${trimEndOf(problem, '.')}`;
});

const permissions = { scopes: list(oneOf(oauthScopes), 1), resourceScopes: list(resourceScope, 1) };

// RFC 6749 appendix A.1.
const clientID = checked(text, (value) =>
  /^[\x20-\x7e]{1,256}$/.test(value) ? undefined : 'must be up to 256 printable ASCII characters',
);

const userName = checked(text, (value) =>
  value.length > 256 || cleanText(value) !== value ? 'must be up to 256 printable characters' : undefined,
);

const key = checked(
  refine(anyObject, (value) => value as JWK),
  keyProblem,
);

const credentials = {
  secret: secretText,
  secretFile: text,
  secretHash: hash,
  keys: list(key, 1, keysLimit),
  federated: trusts,
  redirectURIs: list(checked(text, redirectURIProblem)),
};
const origins = list(checked(text, originProblem));

const client = refine(object({ id: clientID }, { ...credentials, origins, ...permissions }), (given, note) => {
  noteCombined(given, 'secret', note);
  if (!Object.keys(credentials).some((name) => name in given))
    note('must have a secret, keys, federated or redirectURIs');
  return given;
});

const passwords = { password: secretText, passwordFile: text, passwordHash: hash };

const user = refine(object({ name: userName }, { ...passwords, ...permissions }), (given, note) => {
  noteCombined(given, 'password', note);
  if (!Object.keys(passwords).some((name) => name in given))
    note('must have a password, a passwordFile or a passwordHash');
  return given;
});

const registrations = object({}, { clients: list(client), users: list(user) });

/** A secret is given as text, in a file or as a hash. */
function noteCombined(given: object, name: string, note: Note): void {
  const [first, ...others] = [name, `${name}File`, `${name}Hash`].filter((each) => each in given);
  for (const other of others) note(`must not be combined with ${first}`, other);
}

async function resolveClient(
  { secretFile, federated, ...rest }: MeaningOf<typeof client>,
  path: string,
  files: NamedFiles,
): Promise<ServiceClient> {
  const secret = await readSecret(secretFile, `${path}.secretFile`, files);
  const resolved = federated && (await resolveTrusts(federated, `${path}.federated`, files));
  return { ...rest, ...(secret && { secret }), ...(resolved && { federated: resolved }) };
}

async function resolveUser(
  { passwordFile, ...rest }: MeaningOf<typeof user>,
  path: string,
  files: NamedFiles,
): Promise<ServiceUser> {
  const password = await readSecret(passwordFile, `${path}.passwordFile`, files);
  return { ...rest, ...(password && { password }) };
}

/** The text of the file without its trailing line ends. */
async function readSecret(
  file: string | undefined,
  member: string,
  { read }: NamedFiles,
): Promise<SecretText | undefined> {
  return file === undefined ? undefined : read(file, member, (content) => new SecretText(trimEndOf(content, '\r\n')));
}

function createRead(readText: ReadText, problems: string[]): NamedFiles['read'] {
  return async (file, member, parse) => {
    try {
      const content = await readText(file);
      if (content.trim() === '') throw new Error('it is empty');
      return parse(content);
    } catch (cause) {
      problems.push(`${member} cannot be used: ${trimEndOf(cleanText(messageOf(cause)), '.')}`);
      return undefined;
    }
  };
}

/** The problem of a key that is not a public key of RFC 7518 or RFC 8037. A private key in the file is an error. */
function keyProblem(key: JWK): string | undefined {
  if (!['EC', 'RSA', 'OKP'].includes(String(key.kty))) return 'must have the type (kty) EC, RSA or OKP';
  if (key.d !== undefined) return 'contains a private key (d), which the service must not know';
  if (key.use !== undefined && key.use !== 'sig') return 'is not for signatures (use)';
  try {
    createPublicKey({ key, format: 'jwk' });
    return undefined;
  } catch {
    return 'is not a public key';
  }
}
