// Parses the file of `--registrations`: clients with secrets, keys and redirect URIs, and the users who may sign in. It checks
// the whole file first. Every problem names its path, and none repeats a secret.
import { createPublicKey } from 'node:crypto';
import { dirname, resolve } from 'node:path';

import type { JWK } from 'jose';

import { cleanText } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { arrayOf, isObject } from '../../lib/json-shape.ts';
import { readWholeFile } from '../../lib/read-file-bytes.ts';
import { SecretText } from '../../lib/secret-text.ts';
import { trimEndOf } from '../../lib/trim-ends.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { scopeProblem } from '../http/resource-path.ts';
import { redirectURIProblem } from '../oauth/authorize/redirect-uri.ts';
import { parseHashedSecret, type HashedSecret } from '../oauth/hashed-secret.ts';
import { originProblem } from '../oauth/origins.ts';
import type { Registered, ServiceClient, ServiceUser } from '../oauth/registrations.ts';
import type { ResourceScopes } from '../oauth/resource-scopes.ts';
import { isOAuthScope, oauthScopes, type OAuthScope } from '../oauth/scopes.ts';
import { keysLimit } from '../oauth/token/assertion-keys.ts';
import { decodeFederated, type ReadText, type ReferencedFiles } from './federated-members.ts';
import { requireText, note, openFields, openList, readText, readTexts, type Fields } from './fields.ts';
import { discreetReason, readDocument, refuseProblems } from './read.ts';
import { decodeUTF8 } from './utf8.ts';

/** Paths in the file are relative to it. Throws `UsageError`. */
export async function readRegistrationsFile(file: string): Promise<Registered> {
  const readText = async (path: string) => decodeUTF8(await readWholeFile(resolve(dirname(file), path)), 'It');
  return decodeRegistrations(await readDocument('registrations', file, discreetReason), file, readText);
}

/** `source` names the document in error messages. Throws `UsageError`. */
export async function decodeRegistrations(document: unknown, source: string, readText: ReadText): Promise<Registered> {
  const problems: string[] = [];
  const fields = openFields(document ?? null, { path: '', problems, known: ['clients', 'users'] });
  const clients: ServiceClient[] = [];
  const files = { readText, folder: dirname(source) };
  for (const each of openList(fields, 'clients', clientMembers)) clients.push(await decodeClient(each, files));
  const users: ServiceUser[] = [];
  for (const each of openList(fields, 'users', userMembers)) users.push(await decodeUser(each, readText));
  refuseProblems('registrations', source, problems);
  return { clients, users };
}

const clientMembers = [
  'id',
  'secret',
  'secretFile',
  'secretHash',
  'keys',
  'federated',
  'redirectURIs',
  'origins',
  'scopes',
  'resourceScopes',
];
const credentialMembers = ['secret', 'secretFile', 'secretHash', 'keys', 'federated', 'redirectURIs'];
const userMembers = ['name', 'password', 'passwordFile', 'passwordHash', 'scopes', 'resourceScopes'];

async function decodeClient(fields: Fields, files: ReferencedFiles): Promise<ServiceClient> {
  const id = requireText(fields, 'id');
  // RFC 6749 appendix A.1.
  if (id !== '' && !/^[\x20-\x7e]{1,256}$/.test(id)) note(fields, 'id', 'must be up to 256 printable ASCII characters');
  const secret = await decodeSecret(fields, 'secret', files.readText);
  const secretHash = decodeHash(fields, 'secret');
  const keys = decodeKeys(fields);
  const federated = await decodeFederated(fields, files);
  const redirectURIs = decodeURIs(fields, 'redirectURIs', redirectURIProblem);
  const origins = decodeURIs(fields, 'origins', originProblem);
  const scopes = decodeScopes(fields);
  const resourceScopes = decodeResourceScopes(fields);
  if (!credentialMembers.some((name) => fields.object[name] !== undefined)) {
    fields.problems.push(`${fields.path} must have a secret, keys, federated or redirectURIs`);
  }
  const credentials = { secret, secretHash, keys, federated, redirectURIs };
  return { id, ...withoutUndefined({ ...credentials, origins, scopes, resourceScopes }) };
}

async function decodeUser(fields: Fields, readText: ReadText): Promise<ServiceUser> {
  const name = requireText(fields, 'name');
  if (name.length > 256 || cleanText(name) !== name) note(fields, 'name', 'must be up to 256 printable characters');
  const password = await decodeSecret(fields, 'password', readText);
  const passwordHash = decodeHash(fields, 'password');
  if (!['password', 'passwordFile', 'passwordHash'].some((member) => fields.object[member] !== undefined)) {
    fields.problems.push(`${fields.path} must have a password, a passwordFile or a passwordHash`);
  }
  const scopes = decodeScopes(fields);
  const resourceScopes = decodeResourceScopes(fields);
  return { name, ...withoutUndefined({ password, passwordHash, scopes, resourceScopes }) };
}

/** Reads the member `name`, or the file that the member `${name}File` names, without its trailing line ends. */
async function decodeSecret(fields: Fields, name: string, readTextOf: ReadText): Promise<SecretText | undefined> {
  const given = readText(fields, name);
  const fileMember = `${name}File`;
  const file = readText(fields, fileMember);
  if (given !== undefined && file !== undefined) note(fields, fileMember, `must not be combined with ${name}`);
  if (given !== undefined) return new SecretText(given);
  if (file === undefined) return undefined;
  try {
    const text = trimEndOf(await readTextOf(file), '\r\n');
    if (text === '') note(fields, fileMember, 'names an empty file');
    return new SecretText(text);
  } catch (cause) {
    note(fields, fileMember, `cannot be read: ${trimEndOf(cleanText(messageOf(cause)), '.')}`);
    return undefined;
  }
}

/** Reads the member `${name}Hash`. */
function decodeHash(fields: Fields, name: string): HashedSecret | undefined {
  const member = `${name}Hash`;
  const text = readText(fields, member);
  if (text === undefined) return undefined;
  const other = [name, `${name}File`].find((each) => fields.object[each] !== undefined);
  if (other !== undefined) note(fields, member, `must not be combined with ${other}`);
  const hashed = parseHashedSecret(text);
  if (!('problem' in hashed)) return hashed;
  note(fields, member, hashed.problem);
  return undefined;
}

function decodeScopes(fields: Fields): readonly OAuthScope[] | undefined {
  const texts = readTexts(fields, 'scopes');
  if (texts === undefined) return undefined;
  const scopes = texts.filter(isOAuthScope);
  if (texts.length === 0 || scopes.length < texts.length) {
    note(fields, 'scopes', `must be a list of ${oauthScopes.join(' and ')}`);
  }
  return scopes;
}

/** Written like a scope in section 2.2. An empty list would be a client that can do nothing, and is more likely a mistake. */
function decodeResourceScopes(fields: Fields): ResourceScopes | undefined {
  const scopes = readTexts(fields, 'resourceScopes');
  if (scopes?.length === 0) note(fields, 'resourceScopes', 'must name at least one scope');
  for (const [index, scope] of scopes?.entries() ?? []) {
    const problem = scopeProblem(scope);
    if (problem !== undefined) note(fields, `resourceScopes[${index}]`, `is no scope: ${trimEndOf(problem, '.')}`);
  }
  return scopes;
}

function decodeURIs(
  fields: Fields,
  name: string,
  problemOf: (uri: string) => string | undefined,
): readonly string[] | undefined {
  const uris = readTexts(fields, name);
  for (const [index, uri] of uris?.entries() ?? []) {
    const problem = problemOf(uri);
    if (problem !== undefined) note(fields, `${name}[${index}]`, problem);
  }
  return uris;
}

function decodeKeys(fields: Fields): readonly JWK[] | undefined {
  const { keys } = fields.object;
  if (keys === undefined) return undefined;
  const items = arrayOf(keys);
  if (items.length === 0) note(fields, 'keys', 'must be a list of public keys (JWK)');
  if (items.length > keysLimit) note(fields, 'keys', `must be at most ${keysLimit} keys`);
  return items.flatMap((key, index) => {
    const problem = keyProblem(key);
    if (problem !== undefined) note(fields, `keys[${index}]`, problem);
    return problem === undefined ? [key as JWK] : [];
  });
}

/** The problem of a key that is not a public key of RFC 7518 or RFC 8037. A private key in the file is an error. */
function keyProblem(key: unknown): string | undefined {
  if (!isObject(key)) return 'must be an object';
  if (!['EC', 'RSA', 'OKP'].includes(String(key['kty']))) return 'must have the type (kty) EC, RSA or OKP';
  if (key['d'] !== undefined) return 'contains a private key (d), which the service must not know';
  if (key['use'] !== undefined && key['use'] !== 'sig') return 'is not for signatures (use)';
  try {
    createPublicKey({ key, format: 'jwk' });
    return undefined;
  } catch {
    return 'is not a public key';
  }
}
