// Parses the members `federated` of the clients in the file of `--registrations`: whose tokens a client trusts, and where the keys are.
import { resolve } from 'node:path';

import { cleanText } from '../../lib/clean-text.ts';
import { messageOf } from '../../lib/errors.ts';
import { trimEndOf } from '../../lib/trim-ends.ts';
import type { FederatedTrust, KeySource } from '../oauth/federated-trust.ts';
import { decodeIssuerKeys } from '../oauth/token/issuer-keys.ts';
import { type Fields, note, openList, readText, requireText } from './fields.ts';

/** Reads the text of a file; rejects on failure. */
export type ReadText = (path: string) => Promise<string>;

/** The files that the registrations name, relative to the folder. */
export interface ReferencedFiles {
  readonly readText: ReadText;
  readonly folder: string;
}

const members = ['issuer', 'subject', 'audience', 'jwksFile', 'jwksURI', 'caFile', 'tokenFile'];

/** Maximum number of trusts of one client. */
const trustsLimit = 16;

/** Undefined when the client has none. */
export async function decodeFederated(
  fields: Fields,
  files: ReferencedFiles,
): Promise<readonly FederatedTrust[] | undefined> {
  const { federated } = fields.object;
  if (federated === undefined) return undefined;
  const items = openList(fields, 'federated', members);
  if (Array.isArray(federated) && (items.length === 0 || items.length > trustsLimit)) {
    note(fields, 'federated', `must be a list of 1 to ${trustsLimit} subjects`);
  }
  const trusts: FederatedTrust[] = [];
  for (const each of items.slice(0, trustsLimit)) trusts.push(await decodeTrust(each, files));
  return trusts;
}

async function decodeTrust(fields: Fields, files: ReferencedFiles): Promise<FederatedTrust> {
  const issuer = requireClaim(fields, 'issuer');
  const subject = requireClaim(fields, 'subject');
  const audience = requireClaim(fields, 'audience');
  return { issuer, subject, audience, keys: await decodeKeySource(fields, files) };
}

function requireClaim(fields: Fields, name: string): string {
  const text = requireText(fields, name);
  if (text.length > 512 || !/^[\x21-\x7e]*$/.test(text))
    note(fields, name, 'must be up to 512 visible ASCII characters');
  return text;
}

async function decodeKeySource(fields: Fields, files: ReferencedFiles): Promise<KeySource> {
  const { object } = fields;
  const jwksFile = readText(fields, 'jwksFile');
  const url = readText(fields, 'jwksURI');
  if ((object['jwksFile'] === undefined) === (object['jwksURI'] === undefined)) {
    fields.problems.push(`${fields.path} must have either a jwksFile or a jwksURI`);
  }
  if (jwksFile !== undefined) {
    for (const name of ['caFile', 'tokenFile']) {
      if (object[name] !== undefined) note(fields, name, 'is for a jwksURI only');
    }
    return { file: await checkFile(fields, 'jwksFile', files, decodeIssuerKeys) };
  }
  if (url !== undefined && !isKeyURL(url)) note(fields, 'jwksURI', 'must be an https URL without user and fragment');
  const caFile = object['caFile'] === undefined ? undefined : await checkFile(fields, 'caFile', files);
  const tokenFile = object['tokenFile'] === undefined ? undefined : await checkFile(fields, 'tokenFile', files);
  return { url: url ?? '', ...(caFile !== undefined && { caFile }), ...(tokenFile !== undefined && { tokenFile }) };
}

/** The absolute path of the file that the member names. Notes a file that cannot be used now. */
async function checkFile(
  fields: Fields,
  name: string,
  { readText: read, folder }: ReferencedFiles,
  check: (text: string) => unknown = () => undefined,
): Promise<string> {
  const path = readText(fields, name);
  if (path === undefined) return '';
  try {
    const text = await read(path);
    if (text.trim() === '') note(fields, name, 'names an empty file');
    else check(text);
  } catch (cause) {
    note(fields, name, `cannot be used: ${trimEndOf(cleanText(messageOf(cause)), '.')}`);
  }
  return resolve(folder, path);
}

function isKeyURL(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && !text.includes('#');
}
